import { expect, it } from "vitest";
import { limitRunning } from "#server/services/core/running-of-person.ts";
import { streamDownload } from "./stream-download.ts";

const URL = "http://127.0.0.1/api/exports/audit";

async function* rows(): AsyncGenerator<Buffer, void, undefined> {
	for (const row of ["a\r\n", "b\r\n"]) yield Buffer.from(row);
}
function download(request: Request): Response {
	const actor = { kind: "person", accountId: "ann", name: "Ann", role: "finance", teams: [], via: "session" } as const;
	return streamDownload(request, { fileName: "a.csv", chunks: limitRunning({ actor }, "export", rows()) });
}

it("sends every row as a file", async () => {
	const response = download(new Request(URL));
	expect(response.headers.get("content-disposition")).toBe('attachment; filename="a.csv"');
	expect(await response.text()).toBe("a\r\nb\r\n");
});

it.each<[string, () => Promise<unknown>]>([
	["a HEAD request", async () => download(new Request(URL, { method: "HEAD" }))],
	["a browser that disconnects before the first row", async () => download(new Request(URL, { signal: AbortSignal.abort() }))],
	[
		"a browser that disconnects while Next has not begun to send",
		async () => {
			const gone = new AbortController();
			download(new Request(URL, { signal: gone.signal }));
			gone.abort();
		},
	],
	["a browser that stops reading", async () => download(new Request(URL)).body?.cancel()],
])("does not count the export of %s", async (_, leave) => {
	for (let i = 0; i < 8; i++) await leave();
	expect(await download(new Request(URL)).text()).toBe("a\r\nb\r\n");
});
