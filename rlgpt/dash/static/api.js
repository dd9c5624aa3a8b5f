// Requests to the server of this page.

export async function get(path) {
  return answer(await fetch(path, { headers: { accept: "application/json" } }));
}

export async function post(path) {
  return answer(await fetch(path, { method: "POST" }));
}

export async function postJson(path, body) {
  const headers = { "content-type": "application/json" };
  return answer(await fetch(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

async function answer(response) {
  const type = response.headers.get("content-type") || "";
  const body = type.startsWith("application/json") ? await response.json() : await response.text();
  if (!response.ok) throw new Error((body && body.error) || String(body) || response.statusText);
  return body;
}

export function ofRun(run, path, query) {
  const url = `/api/runs/${encodeURIComponent(run)}/${path}`;
  if (!query) return url;
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== null && each !== undefined && each !== "") found.append(name, each);
    }
  }
  return `${url}?${found}`;
}
