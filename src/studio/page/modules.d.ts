// What the bundler makes of imports that are no code.

declare module '*?worker' {
  const constructor: new () => Worker;
  export default constructor;
}
declare module '*.css';
