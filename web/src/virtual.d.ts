/** Made from docs/ by web/docs/plugin.ts. */
declare module 'virtual:explanations' {
  export const terms: Record<string, { meaning: string; formula: string; page: string }>;
  export const papers: Record<string, string>;
}
