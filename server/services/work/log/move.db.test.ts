import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { addMachine, type Books, openBooks, T0 } from "#server/services/ledger/charge/testing/books.ts";
import { outputLines } from "../adoption/output-lines.ts";
import { appendLogs } from "../attempt/append-logs.ts";
import { moveLogs } from "./move.ts";
import { readLines } from "./read.ts";
import { folderLogStore, type LogStore } from "./store.ts";
import { oldestTailMs } from "./tails.ts";

let books: Books;
let folder: string;
let logs: LogStore;
let attemptId: string;

beforeEach(async () => {
	books = await openBooks();
	folder = await mkdtemp(path.join(tmpdir(), "spillway-logs-"));
	logs = folderLogStore(folder);
	attemptId = (await addMachine(books)).attemptId;
});
afterEach(async () => {
	await books.database.drop();
	await rm(folder, { recursive: true, force: true });
});

const append = (...texts: string[]) =>
	books.db.transaction((tx) =>
		appendLogs(tx, { attemptId, lines: texts.map((text) => ({ atMs: books.clock.nowMs(), stream: "stdout", text })) }),
	);
const move = (store = logs) => moveLogs({ db: books.db, clock: books.clock, logs: store });
const fail = (_: unknown, cause: unknown): never => {
	throw cause;
};
async function read(limit = 2_000): Promise<string[]> {
	const texts: string[] = [];
	for (let after = 0; ; ) {
		const lines = await readLines({ db: books.db, logs }, attemptId, { after, limit, onUnreadable: fail });
		expect(lines.map(({ number }) => number)).toEqual(lines.map((_, i) => after + 1 + i));
		texts.push(...lines.map(({ text }) => text));
		const last = lines.at(-1);
		if (!last) return texts;
		after = last.number;
	}
}
const texts = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}`);
const rowsLeft = async (): Promise<number> => (await books.database.sql`select 1 from job_log`).length;
const end = () => books.db.execute(sql`update attempt set state = 'cancelled', reason = '{}', finished_at = now() where id = ${attemptId}`);
const files = async (): Promise<string[]> => (await readdir(folder, { recursive: true })).filter((name) => name.includes("."));

it("moves lines of a live attempt when there are many or they are old, and all lines of an ended one", async () => {
	await append(...texts(1, 999));
	books.clock.advance(HOUR_MS - MINUTE_MS);
	expect(await move()).toEqual({ segments: 0, lines: 0 });
	expect(await oldestTailMs(books.db)).toBe(T0);
	await append("line 1000");
	expect(await move()).toEqual({ segments: 1, lines: 1_000 });
	await append("line 1001");
	books.clock.advance(HOUR_MS);
	expect(await move()).toEqual({ segments: 1, lines: 1 });
	expect(await oldestTailMs(books.db)).toBeNull();
	await append(...texts(1_002, 1_003));
	expect(await read()).toEqual(texts(1, 1_003));
	await end();
	expect(await move()).toEqual({ segments: 1, lines: 2 });
	expect([await rowsLeft(), await read(), await read(7)]).toEqual([0, texts(1, 1_003), texts(1, 1_003)]);
	const printed: string[] = [];
	for await (const { text } of outputLines({ db: books.db, logs }, attemptId)) printed.push(text);
	expect(printed).toEqual(texts(1, 1_003));
});

it("writes segments of limited size that zcat can read", async () => {
	const long = Array.from({ length: 40 }, (_, i) => String(i % 10).repeat(100_000));
	await append(...long);
	await append(...texts(41, 6_040));
	await end();
	expect((await move()).lines).toBe(6_040);
	expect(await read()).toEqual([...long, ...texts(41, 6_040)]);
	const names = (await files()).sort();
	expect(names.length).toBe(5);
	for (const name of names) expect(gunzipSync(await readFile(path.join(folder, name))).length).toBeLessThan(2 * 1024 * 1024);
});

it("loses and repeats no line when the process ends between upload and deletion", async () => {
	await append(...texts(1, 1_200));
	const killed: LogStore = {
		...logs,
		put: async (key, content) => {
			await logs.put(key, content);
			throw new Error("killed");
		},
	};
	await expect(move(killed)).rejects.toThrow("killed");
	expect([await rowsLeft(), await read()]).toEqual([1_200, texts(1, 1_200)]);
	await append("line 1201");
	expect((await move()).lines).toBe(1_201);
	expect([await rowsLeft(), await read()]).toEqual([0, texts(1, 1_201)]);
});

it("lets only one of two leaders move a line, whichever was suspended", async () => {
	await append(...texts(1, 1_000));
	let overtaken = { segments: -1, lines: -1 };
	const suspended: LogStore = {
		...logs,
		put: async (key, content) => {
			await logs.put(key, content);
			await append("line 1001");
			overtaken = await move();
		},
	};
	expect(await move(suspended)).toEqual({ segments: 0, lines: 0 });
	expect(overtaken).toEqual({ segments: 1, lines: 1_001 });
	expect(await read()).toEqual(texts(1, 1_001));
	expect(await files()).toHaveLength(1);
});

it("keeps lines in the database while the store accepts none", async () => {
	await append(...texts(1, 1_000));
	const full = folderLogStore(path.join(folder, "a-file"));
	await writeFile(path.join(folder, "a-file"), "");
	await expect(move(full)).rejects.toThrow(/ENOTDIR|EEXIST/);
	expect([await rowsLeft(), await read()]).toEqual([1_000, texts(1, 1_000)]);
});

it("rejects a damaged segment, and output that would lack lines", async () => {
	await append(...texts(1, 1_000));
	await move();
	const [name = ""] = await files();
	const content = await readFile(path.join(folder, name));
	await writeFile(path.join(folder, name), content.subarray(0, 100));
	await expect(read()).rejects.toThrow("checksum");
	const lines = outputLines({ db: books.db, logs }, attemptId);
	await expect(lines.next()).rejects.toThrow(`cannot read ${name} in the log store`);
});
