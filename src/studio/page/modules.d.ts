// Imports that are not code, which the bundler handles.

declare module '*.css';
