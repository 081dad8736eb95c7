import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { apiToken } from "#server/db/schema/account.ts";
import { reason } from "#server/domain/reasons.ts";
import { env, logFolder } from "#server/env.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { hashToken } from "#server/services/governance/token/issue.ts";
import { moveLogs } from "#server/services/work/log/move.ts";
import { folderLogStore } from "#server/services/work/log/store.ts";
import { RestWorld } from "../testing/rest-world.ts";

let world: RestWorld;
beforeAll(async () => {
	world = await RestWorld.open();
});
afterAll(() => world.close());

type Line = { attempt: number; number: number; text: string } | { end: true };

/** Opens the stream; `upTo` reads until a line has this text, `rest` to the end. */
async function follow(jobId: string, query = ""): Promise<{ upTo(text: string): Promise<Line[]>; rest(): Promise<Line[]>; leave(): void }> {
	const gone = new AbortController();
	const response = await fetch(`${world.url}/api/v1/jobs/${jobId}/logs?follow=1${query}`, {
		headers: { authorization: `Bearer ${world.tokens.platform}` },
		signal: gone.signal,
	});
	expect(response.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
	const lines = (async function* () {
		let rest = "";
		const decoder = new TextDecoder();
		for await (const chunk of response.body ?? []) {
			const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
			rest = parts.pop() ?? "";
			for (const part of parts) yield JSON.parse(part) as Line;
		}
		expect(rest).toBe("");
	})();
	const take = async (enough: (line: Line) => boolean): Promise<Line[]> => {
		const taken: Line[] = [];
		for (let next = await lines.next(); !next.done; next = await lines.next()) {
			taken.push(next.value);
			if (enough(next.value)) break;
		}
		return taken;
	};
	return { upTo: (text) => take((l) => "text" in l && l.text === text), rest: () => take(() => false), leave: () => gone.abort() };
}

const shown = (lines: Line[]): string[] => lines.map((l) => ("end" in l ? "end" : `${l.attempt}.${l.number} ${l.text}`));

it("follows a waiting job through an interruption to its end", async () => {
	const id = await world.submit();
	const stream = await follow(id);
	const first = await world.start(id, 1);
	await world.log(first, "step 1", "step 2");
	expect(shown(await stream.upTo("step 2"))).toEqual(["1.1 step 1", "1.2 step 2"]);
	await world.log(first, "SIGTERM: saved");
	await world.end(first, { stop: reason("spot_interruption") });
	expect((await world.get(`/jobs/${id}`)).json.state).toBe("queued");
	expect(shown(await stream.upTo("SIGTERM: saved"))).toEqual(["1.3 SIGTERM: saved"]);
	const second = await world.start(id, 2);
	await world.log(second, "resumed", "done");
	await world.end(second, { code: 0 });
	expect(shown(await stream.rest())).toEqual(["2.1 resumed", "2.2 done", "end"]);
});

it("refuses the 51st followed log of a person with 429 and what to do, until one ends", async () => {
	const id = await world.submit();
	const open = Array.from({ length: 50 }, () => follow(id));
	const streams = await Promise.all(open);
	const headers = { authorization: `Bearer ${world.tokens.platform}` };
	const more = () => fetch(`${world.url}/api/v1/jobs/${id}/logs?follow=1`, { headers });
	const refused = await more();
	expect(refused.status).toBe(429);
	expect(await refused.json()).toMatchObject({ detail: "You have 50 logs open with --follow.", fix: expect.stringContaining("Stop one") });
	streams[0]?.leave();
	await world.end(await world.start(id), { code: 0 });
	await Promise.all(streams.slice(1).map((stream) => stream.rest()));
	const accepted = await more();
	expect([accepted.status, await accepted.text()]).toEqual([200, expect.stringContaining('"end":true')]);
});

it("returns the whole log of an ended job, from any attempt and line on", async () => {
	const id = await world.submit();
	for (const number of [1, 2]) {
		const attempt = await world.start(id, number);
		await world.log(attempt, "one", "two", "three");
		await world.end(attempt, number === 1 ? { stop: reason("spot_interruption") } : { code: 3 });
	}
	const all = async (query: string): Promise<string[]> => shown(await (await follow(id, query)).rest());
	expect(await all("")).toEqual(["2.1 one", "2.2 two", "2.3 three", "end"]);
	expect(await all("&tail=1")).toEqual(["2.3 three", "end"]);
	expect(await all("&attempt=1&after=2")).toEqual(["1.3 three", "2.1 one", "2.2 two", "2.3 three", "end"]);
	expect(await all("&attempt=2&after=3")).toEqual(["end"]);
});

it("continues where a broken connection stopped, without duplicates", async () => {
	const id = await world.submit();
	const attempt = await world.start(id);
	await world.log(attempt, "one", "two");
	const broken = await follow(id);
	await broken.upTo("two");
	broken.leave();
	const again = await follow(id, "&attempt=1&after=2");
	await world.log(attempt, "three");
	expect(shown(await again.upTo("three"))).toEqual(["1.3 three"]);
	await world.end(attempt, { code: 0 });
	expect(shown(await again.rest())).toEqual(["end"]);
});

it("streams more lines than one page of the database", async () => {
	const id = await world.submit();
	const attempt = await world.start(id);
	const texts = Array.from({ length: 4_500 }, (_, i) => `line ${i + 1}`);
	await world.log(attempt, ...texts);
	await world.end(attempt, { code: 0 });
	const lines = await (await follow(id)).rest();
	expect(lines.flatMap((l) => ("text" in l ? [l.text] : []))).toEqual(texts);
});

const move = () =>
	moveLogs({ db: world.database.db, clock: { nowMs: () => world.nowMs() + HOUR_MS }, logs: folderLogStore(logFolder(env())) });

it("follows lines that move to the log store, before and after they are read", async () => {
	await move();
	const id = await world.submit();
	const attempt = await world.start(id);
	await world.log(attempt, "one", "two");
	const stream = await follow(id);
	await stream.upTo("two");
	await world.log(attempt, "three");
	expect((await move()).lines).toBe(3);
	expect(shown(await stream.upTo("three"))).toEqual(["1.3 three"]);
	await world.log(attempt, "four");
	expect(shown(await (await follow(id)).upTo("four"))).toEqual(["1.1 one", "1.2 two", "1.3 three", "1.4 four"]);
	expect((await move()).lines).toBe(1);
	await world.log(attempt, "five");
	await world.end(attempt, { code: 0 });
	expect((await world.get(`/jobs/${id}/logs?tail=3&limit=2`)).json.lines.map((line: { text: string }) => line.text)).toEqual([
		"three",
		"four",
	]);
	expect(shown(await stream.rest())).toEqual(["1.4 four", "1.5 five", "end"]);
});

it("shows which lines cannot be read, and ends when retention deleted the rest", async () => {
	const id = await world.submit();
	const attempt = await world.start(id);
	await world.log(attempt, "one", "two");
	await move();
	await world.log(attempt, "three");
	await world.end(attempt, { code: 0 });
	const folder = path.join(logFolder(env()), attempt);
	for (const file of await readdir(folder)) await rm(path.join(folder, file));
	const lines = shown(await (await follow(id)).rest());
	expect(lines).toEqual([expect.stringMatching(/^1\.2 Lines 1 to 2 could not be read from the log store \(ENOENT/), "1.3 three", "end"]);
	await world.database.sql`delete from log_segment`;
	await world.database.sql`delete from job_log`;
	expect(shown(await (await follow(id)).rest())).toEqual(["end"]);
});

it("ends without a line when a waiting job is cancelled", async () => {
	const id = await world.submit();
	const stream = await follow(id);
	await world.post(`/jobs/${id}/cancel`, undefined);
	expect(shown(await stream.rest())).toEqual(["end"]);
});

it("disconnects a reader when the token is revoked", async () => {
	const id = await world.submit();
	const attempt = await world.start(id);
	await world.log(attempt, "one");
	const stream = await follow(id);
	await stream.upTo("one");
	const { id: tokenId } = (
		await world.database.db
			.select({ id: apiToken.id })
			.from(apiToken)
			.where(eq(apiToken.hash, hashToken(world.tokens.platform)))
	)[0] ?? { id: "" };
	await world.database.db.update(apiToken).set({ revokedAt: new Date() }).where(eq(apiToken.id, tokenId));
	// The server caches token data for five seconds.
	world.shiftMs += 6_000;
	await expect(stream.upTo("two")).rejects.toThrow("terminated");
	expect(world.failures).toEqual([]);
});
