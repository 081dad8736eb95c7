import { afterEach, expect, it } from "vitest";
import type { Actor } from "./context.ts";
import { beginRunning, limitRunning } from "./running-of-person.ts";

async function* rows(count = 1_000): AsyncGenerator<number, void, undefined> {
	for (let i = 0; i < count; i++) yield i;
}
// biome-ignore lint/correctness/useYield: it fails before its first row
async function* broken(): AsyncGenerator<number, void, undefined> {
	throw new Error("broken");
}

const person = (accountId: string): Actor => ({ kind: "person", accountId, name: "x", role: "finance", teams: [], via: "token" });
const opened: AsyncGenerator<number, void, undefined>[] = [];
function open(accountId: string, chunks = rows()): AsyncGenerator<number, void, undefined> {
	const limited = limitRunning({ actor: person(accountId) }, "export", chunks);
	opened.push(limited);
	return limited;
}
afterEach(async () => {
	for (const chunks of opened.splice(0)) await chunks.return();
});
const tooMany = expect.objectContaining({ code: "too_many_requests" });

it("counts a person's exports from the request, before anything is read", () => {
	for (let i = 0; i < 3; i++) open("ann");
	expect(() => open("ann")).toThrow(tooMany);
	open("bob");
});

it.each<[string, AsyncGenerator<number, void, undefined>, (chunks: AsyncGenerator<number, void, undefined>) => Promise<unknown>]>([
	["its end", rows(5), (chunks) => Array.fromAsync(chunks)],
	["its failure", broken(), (chunks) => expect(chunks.next()).rejects.toThrow("broken")],
	["a reader that leaves before reading", rows(), (chunks) => chunks.return()],
	["a reader that fails", rows(), (chunks) => expect(chunks.throw(new Error("gone"))).rejects.toThrow("gone")],
	[
		"a reader that leaves midway",
		rows(),
		async (chunks) => {
			for await (const _ of chunks) break;
		},
	],
])("stops counting an export once, with %s", async (_, chunks, leave) => {
	const ending = open("ann", chunks);
	for (let i = 0; i < 2; i++) open("ann");
	await leave(ending);
	await ending.return();
	open("ann");
	expect(() => open("ann")).toThrow(tooMany);
});

it("counts each kind by itself, and the scheduler's own work not at all", () => {
	const ends = Array.from({ length: 50 }, () => beginRunning({ actor: person("ann") }, "followed_log"));
	expect(() => beginRunning({ actor: person("ann") }, "followed_log")).toThrow(
		expect.objectContaining({ code: "too_many_requests", message: "You have 50 logs open with --follow." }),
	);
	ends.push(beginRunning({ actor: person("ann") }, "live_connection"), beginRunning({ actor: person("bob") }, "followed_log"));
	for (let i = 0; i < 1_000; i++) beginRunning({ actor: { kind: "system", part: "control_loop" } }, "followed_log");
	for (const end of ends) end();
	beginRunning({ actor: person("ann") }, "followed_log")();
});
