// Elements without markup: text from data is always text, never HTML.

export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "class") made.className = value;
    else if (key === "style") Object.assign(made.style, value);
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

// Figures are drawn anew while people use them: what had the focus of the keyboard gets it again.
export function replace(parent, ...children) {
  const focused = parent.contains(document.activeElement) ? document.activeElement : null;
  parent.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
  if (focused && !focused.isConnected) same(parent, focused)?.focus({ preventScroll: true });
}

function same(parent, old) {
  const called = (each) => each.getAttribute("href") ?? each.getAttribute("aria-label") ?? each.textContent;
  return [...parent.querySelectorAll(old.localName)].find((each) => called(each) === called(old));
}

// A sentence that screen readers say when it changes, and that is not seen.
export function announcer() {
  const spoken = element("div", { class: "spoken", role: "status" });
  return { element: spoken, say: (text) => { if (spoken.textContent !== text) spoken.textContent = text; } };
}

export function meter(share, label) {
  const percent = `${Math.min(100, 100 * share).toFixed(1)}%`;
  const role = { class: "meter", role: "img", "aria-label": label };
  return element("div", role, element("i", { style: { width: percent } }));
}

export function sparkline(values, label) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 90 22");
  svg.setAttribute("class", "spark");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  const known = values.filter((value) => value !== null);
  if (known.length > 1) {
    const low = Math.min(...known, 0), high = Math.max(...known, 0);
    const x = (i) => 2 + (86 * i) / (values.length - 1), y = (v) => 20 - (18 * (v - low)) / (high - low || 1);
    let pen = "M";
    const path = document.createElementNS(space, "path");
    path.setAttribute("d", values.map((value, i) => {
      if (value === null) { pen = "M"; return ""; }
      const step = `${pen}${x(i).toFixed(1)} ${y(value).toFixed(1)}`;
      pen = "L";
      return step;
    }).join(""));
    svg.append(path);
  }
  return svg;
}
