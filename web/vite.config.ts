import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { documentation } from './docs/plugin.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// Relative addresses, so that the built folder works wherever it is put, from a file server or under a path.
export default defineConfig({
  base: './',
  plugins: [documentation(here('../docs'))],
  resolve: {
    alias: { '#wasm': here('../build/wasm/bin/explorer.mjs'), '#simulator': here('../build/wasm/bin/simulator.mjs') },
  },
  worker: { format: 'es' },
  server: { fs: { allow: [here('..')] } },
  build: {
    outDir: process.env.RICOCHET_PAGE ?? here('../build/explorer'),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600, // three.js is one piece, loaded after the page has been painted
  },
});
