// The declarations of index.cjs, for import.
export * from './index.cjs';
export { rateLimit as default } from './index.cjs';
