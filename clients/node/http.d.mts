// The declarations of http.cjs, for import.
export * from './http.cjs';
