/** The style of the API's page. */
export const documentationStyle = `
:root {
  color-scheme: light dark;
  --text: light-dark(#1f2430, #e4e6ec);
  --quiet: light-dark(#5f6675, #9aa1b0);
  --ground: light-dark(#ffffff, #16181d);
  --raised: light-dark(#f6f7f9, #1e2127);
  --line: light-dark(#e2e5ea, #2f343d);
  --accent: light-dark(#2457c5, #8ab0ff);
  --get: light-dark(#1b6e4a, #7fd4ab);
  --post: light-dark(#2457c5, #8ab0ff);
  --delete: light-dark(#b3261e, #ff9d94);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1.5rem; }
body {
  margin: 0;
  display: grid;
  grid-template-columns: 17rem minmax(0, 1fr);
  font: 16px/1.55 system-ui, sans-serif;
  color: var(--text);
  background: var(--ground);
}
a { color: var(--accent); text-underline-offset: 0.2em; }
code { font: 0.9em ui-monospace, monospace; }
nav {
  position: sticky;
  top: 0;
  height: 100vh;
  overflow-y: auto;
  padding: 1.5rem 1rem 2rem 1.5rem;
  background: var(--raised);
  border-right: 1px solid var(--line);
  font-size: 0.86rem;
}
nav h2 { margin: 1.2rem 0 0.3rem; font-size: 0.86rem; }
nav h2:first-child { margin-top: 0; }
nav h2 a { color: var(--text); }
nav ul { margin: 0; padding: 0; list-style: none; }
nav a { display: block; padding: 0.14rem 0; color: var(--quiet); text-decoration: none; }
nav a:hover { color: var(--accent); }
main { max-width: 60rem; padding: 2rem 2.5rem 6rem; }
h1 { margin: 0 0 1rem; font-size: 1.9rem; line-height: 1.2; }
h1 small { font-size: 1rem; font-weight: 400; color: var(--quiet); }
section > h2 { margin: 3.5rem 0 0.5rem; font-size: 1.4rem; }
article { padding: 1.4rem 0; border-top: 1px solid var(--line); }
article h3 { margin: 0 0 0.4rem; font-size: 1.08rem; }
article:target h3 { color: var(--accent); }
h4 { margin: 1.1rem 0 0.3rem; font-size: 0.86rem; color: var(--quiet); }
p { margin: 0.5rem 0; }
.call {
  padding: 0.5rem 0.8rem;
  background: var(--raised);
  border: 1px solid var(--line);
  border-radius: 6px;
  overflow-wrap: anywhere;
}
.call b { font: 600 0.86em ui-monospace, monospace; }
.call i { color: var(--quiet); }
.get { color: var(--get); }
.post { color: var(--post); }
.delete { color: var(--delete); }
table { width: 100%; border-collapse: collapse; font-size: 0.92rem; }
tr + tr { border-top: 1px solid var(--line); }
th, td { padding: 0.4rem 1rem 0.4rem 0; text-align: left; vertical-align: top; font-weight: 400; overflow-wrap: anywhere; }
th { width: 32%; }
th b { font-size: 0.78rem; font-weight: 600; color: var(--delete); }
td:nth-child(2) { width: 26%; color: var(--quiet); }
table + p { margin-top: 1rem; }
details { margin-top: 0.4rem; font-size: 0.92rem; }
summary { width: fit-content; color: var(--quiet); cursor: pointer; }
dl { margin: 0.4rem 0 0; }
dl div { display: flex; gap: 1rem; padding: 0.15rem 0; }
dt { font: 0.9em/1.7 ui-monospace, monospace; }
dd { margin: 0; }
@media (max-width: 52rem) {
  body { display: block; }
  nav { position: static; height: auto; border: 0; border-bottom: 1px solid var(--line); columns: 2; }
  main { padding: 1.5rem 1rem 4rem; }
  tr { display: block; padding: 0.4rem 0; }
  th, td, td:nth-child(2) { display: block; width: auto; padding: 0.1rem 0; }
  td:empty { display: none; }
}
`;
