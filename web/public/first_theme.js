// Before the first paint, so that the page does not flash in the other theme. A file of its own, because the content
// security policy allows no inline script.
try {
  const theme = localStorage.getItem('ricochet-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage can be switched off; the system's theme is used then.
}
