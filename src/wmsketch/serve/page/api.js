// Requests to the service: JSON, the token if one is needed, and the stream of events.

const KEY = "wmsketch-token";

function headers() {
  const token = sessionStorage.getItem(KEY);
  return token ? { authorization: `Bearer ${token}` } : {};
}

async function askForToken() {
  const dialog = document.createElement("dialog");
  const form = document.createElement("form");
  form.method = "dialog";
  const input = document.createElement("input");
  input.type = "password";
  input.required = true;
  input.setAttribute("aria-label", "Token");
  const button = document.createElement("button");
  button.textContent = "Use this token";
  form.append("This service needs a token: ", input, " ", button);
  dialog.append(form);
  document.body.append(dialog);
  dialog.showModal();
  await new Promise((done) => dialog.addEventListener("close", done, { once: true }));
  sessionStorage.setItem(KEY, input.value);
  dialog.remove();
}

let asking = null;

async function request(path, options = {}) {
  const answer = await fetch(path, { ...options, headers: { ...headers(), ...options.headers } });
  if (answer.status !== 401) return answer;
  asking ??= askForToken().finally(() => { asking = null; });
  await asking;
  return fetch(path, { ...options, headers: { ...headers(), ...options.headers } });
}

export async function ask(path, parameters = {}) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined));
  const answer = await request(query.size ? `${path}?${query}` : path);
  return read(answer);
}

export async function send(path, document) {
  const options = { method: "POST", body: JSON.stringify(document), headers: { "content-type": "application/json" } };
  return read(await request(path, options));
}

async function read(answer) {
  const document = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(document.error?.message ?? `the service answered ${answer.status}`);
  return document;
}

export const jobPath = (name) => `/jobs/${encodeURIComponent(name)}`;

// Calls `onEvent` for every event and `onState` with true or false; connects again after a break, for ever.
export async function listen(onEvent, onState) {
  for (let wait = 500; ; wait = Math.min(5000, 1.5 * wait)) {
    try {
      const answer = await request("/events");
      if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      onState(true);
      wait = 500;
      for (let rest = ""; ; ) {
        const { done, value } = await reader.read();
        if (done) break;
        const parts = (rest + value).split("\n\n");
        rest = parts.pop();
        for (const part of parts) if (part.startsWith("data: ")) onEvent(JSON.parse(part.slice(6)));
      }
    } catch { /* the service is away: try again */ }
    onState(false);
    await new Promise((done) => setTimeout(done, wait));
  }
}
