'use strict';

// The client for HTTP, for require. The module for import has all of it.
exports.check = async (...args) => (await import('./http.mjs')).check(...args);
