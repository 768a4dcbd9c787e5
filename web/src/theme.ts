/** Light or dark: the system's choice until the reader makes one. */

const wish = window.matchMedia('(prefers-color-scheme: dark)');

export function isDark(): boolean {
  const chosen = document.documentElement.dataset['theme'];
  return chosen === undefined ? wish.matches : chosen === 'dark';
}

export function followTheme(button: HTMLElement, changed: () => void) {
  wish.addEventListener('change', changed);
  button.addEventListener('click', () => {
    const theme = isDark() ? 'light' : 'dark';
    document.documentElement.dataset['theme'] = theme;
    try {
      localStorage.setItem('ricochet-theme', theme);
    } catch {
      // Where nothing can be stored the choice lasts as long as the page.
    }
    changed();
  });
}

/** Calls when the theme has changed, whoever changed it. The returned function ends it. */
export function watchTheme(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  wish.addEventListener('change', changed);
  return () => {
    observer.disconnect();
    wish.removeEventListener('change', changed);
  };
}
