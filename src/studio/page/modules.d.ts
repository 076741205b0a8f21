// What the bundler makes of imports that are no code.

declare module '*.css';
