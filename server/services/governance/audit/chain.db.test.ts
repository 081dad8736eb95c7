import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connect } from "#server/db/client.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { type Books, openBooks } from "#server/services/ledger/charge/testing/books.ts";
import { readHead } from "./head.ts";
import { newSealMemory, sealAudit } from "./seal.ts";
import { tamper } from "./testing/tamper.ts";
import { type Verification, type VerifyOptions, verifyChain } from "./verify.ts";

const LINES = 12;
let books: Books;

beforeEach(async () => {
	books = await openBooks();
});
afterEach(async () => {
	await books.database.drop();
});

async function addLines(count: number): Promise<void> {
	for (let i = 0; i < count; i++) {
		await books.db.transaction((tx) =>
			writeAudit(tx, books, { action: "thing.change", subject: `thing ${i}`, before: { i, text: 'ä " \\ \n 漢' }, after: { i: i + 1 } }),
		);
	}
}

/** Twelve sealed entries, older than the minute that the sealer has. */
async function sealedBooks(): Promise<void> {
	await addLines(LINES);
	await sealAudit(books, newSealMemory());
	books.clock.advance(2 * MINUTE_MS);
}

async function verify(options: VerifyOptions = {}): Promise<Verification> {
	const walk = verifyChain(books, { batchSeals: 5, ...options });
	for (;;) {
		const step = await walk.next();
		if (step.done) return step.value;
	}
}

async function columnsOf(table: string): Promise<{ name: string; type: string }[]> {
	return [
		...(await books.db.execute<{ name: string; type: string }>(
			sql`select column_name as name, data_type as type from information_schema.columns where table_name = ${table} order by ordinal_position`,
		)),
	];
}

/** Another valid value of the column's type. */
function changed(name: string, type: string): string {
	if (name === "sequence" || name === "id" || name === "audit_id") return `${name} + 1000`;
	if (type.startsWith("timestamp")) return `${name} + interval '1 millisecond'`;
	if (type === "jsonb") return "'{\"i\": 99}'";
	if (name === "hash") return "repeat('0', 64)";
	return "'another'";
}

describe("the chain", () => {
	it("is intact over the written entries, whatever the batch size, and stays intact when it grows", async () => {
		await addLines(LINES);
		expect(await sealAudit(books, newSealMemory(), { batchLines: 5 })).toBe(LINES);
		await addLines(3);
		const memory = newSealMemory();
		expect(await sealAudit(books, memory)).toBe(3);
		expect(await sealAudit(books, memory)).toBe(0);
		const head = await readHead(books.db);
		expect(await verify()).toEqual({
			broken: null,
			verified: { sequence: LINES + 3, hash: head?.hash },
			seals: LINES + 3,
			headFound: null,
		});
	});

	it("finds a change in any column of an entry, and names the entry", async () => {
		await sealedBooks();
		const columns = await columnsOf("audit");
		expect(columns.length).toBeGreaterThan(9);
		for (const { name, type } of columns) {
			await restored(async () => {
				await tamper(books.db, `update audit set "${name}" = ${changed(name, type)} where id = 6`);
				const { broken } = await verify();
				expect([name, broken]).toEqual([name, { kind: name === "id" ? "missing_line" : "changed_line", sequence: 6, auditId: 6 }]);
			});
		}
	});

	it("distinguishes JSON's null from no value, and one space within a text", async () => {
		await sealedBooks();
		await books.db.transaction((tx) => writeAudit(tx, books, { action: "a", subject: "b c" }));
		await sealAudit(books, newSealMemory());
		await restored(async () => {
			await tamper(books.db, `update audit set before = 'null'::jsonb where id = ${LINES + 1}`);
			expect((await verify()).broken?.auditId).toBe(LINES + 1);
		});
		await tamper(books.db, `update audit set subject = 'b  c' where id = ${LINES + 1}`);
		expect((await verify()).broken?.auditId).toBe(LINES + 1);
	});

	it("finds a change in any column of a seal", async () => {
		await sealedBooks();
		const kinds: Record<string, unknown> = {
			sequence: { kind: "missing_seal", sequence: 6, auditId: null },
			audit_id: { kind: "missing_line", sequence: 6, auditId: 1006 },
			hash: { kind: "changed_seal", sequence: 6, auditId: 6 },
			sealed_at: { kind: "changed_line", sequence: 6, auditId: 6 },
		};
		for (const { name, type } of await columnsOf("audit_seal")) {
			await restored(async () => {
				await tamper(books.db, `update audit_seal set "${name}" = ${changed(name, type)} where sequence = 6`);
				expect([name, (await verify()).broken]).toEqual([name, kinds[name]]);
			});
		}
	});

	it.each([1, 6, LINES])("finds that entry %i was deleted, and that its seal was", async (n) => {
		await sealedBooks();
		const head = (await readHead(books.db))?.hash ?? "";
		await restored(async () => {
			await tamper(books.db, `delete from audit where id = ${n}`);
			expect((await verify()).broken).toEqual({ kind: "missing_line", sequence: n, auditId: n });
		});
		await restored(async () => {
			await tamper(books.db, `delete from audit_seal where sequence = ${n}`);
			const last = n === LINES;
			expect((await verify()).broken).toEqual(
				last ? { kind: "unsealed_line", sequence: null, auditId: n } : { kind: "missing_seal", sequence: n, auditId: null },
			);
		});
		await restored(async () => {
			await tamper(books.db, `delete from audit where id = ${n}; delete from audit_seal where sequence = ${n}`);
			const { broken } = await verify({ head });
			expect(broken?.kind).toBe(n === LINES ? "cut_tail" : "missing_seal");
		});
	});

	it("finds rewritten last entries only with a previously saved hash", async () => {
		await sealedBooks();
		const head = (await readHead(books.db))?.hash ?? "";
		await tamper(books.db, "delete from audit where id > 8; delete from audit_seal where sequence > 8");
		await addLines(4);
		await sealAudit(books, newSealMemory());
		expect((await verify()).broken).toBeNull();
		expect(await verify({ head })).toMatchObject({ broken: { kind: "cut_tail", sequence: 12 }, headFound: false });
		const now = (await readHead(books.db))?.hash ?? "";
		expect(await verify({ head: now })).toMatchObject({ broken: null, headFound: true });
	});

	it("finds an entry that was sealed twice after the index was dropped", async () => {
		await sealedBooks();
		await books.db.execute(sql`drop index audit_seal_line`);
		// An intact chain that contains entry 3 again: only counting shows it.
		await tamper(books.db, "delete from audit_seal where sequence = 12; update audit set id = 3000 where id = 12");
		await tamper(
			books.db,
			`insert into audit_seal (sequence, audit_id, hash, sealed_at)
			select 12, 3, encode(sha256(convert_to(p.hash || jsonb_build_array(12, 1000, a.id, floor(extract(epoch from a.at) * 1000)::bigint,
				a.actor, a.action, a.subject, a.before::text, a.after::text, a.request_id, a.via, a.source)::text, 'UTF8')), 'hex'), to_timestamp(1)
			from audit a, audit_seal p where a.id = 3 and p.sequence = 11; delete from audit where id = 3000`,
		);
		expect((await verify()).broken).toEqual({ kind: "sealed_twice", sequence: 12, auditId: 3 });
	});

	it("continues from a seal that was verified before", async () => {
		await sealedBooks();
		const { verified } = await verify();
		await addLines(2);
		await sealAudit(books, newSealMemory());
		expect(await verify({ from: verified })).toMatchObject({ broken: null, seals: 2, verified: { sequence: LINES + 2 } });
		expect((await verify({ from: { sequence: 3, hash: "f".repeat(64) } })).broken).toMatchObject({ sequence: 4 });
	});
});

describe("the sealer", () => {
	it("leaves complete batches when it dies, and the next one continues", async () => {
		await addLines(LINES);
		let batches = 0;
		// The third batch dies after it has written its seals.
		const dying = new Proxy(books.db, {
			get: (db, key) =>
				key === "transaction"
					? (run: Parameters<typeof db.transaction>[0]) =>
							db.transaction(async (tx) => {
								const result = await run(tx);
								batches += 1;
								if (batches === 3) throw new Error("killed");
								return result;
							})
					: Reflect.get(db, key, db),
		});
		await expect(sealAudit({ db: dying, clock: books.clock }, newSealMemory(), { batchLines: 5 })).rejects.toThrow("killed");
		expect((await readHead(books.db))?.sequence).toBe(10);
		expect(await sealAudit(books, newSealMemory(), { batchLines: 5 })).toBe(2);
		books.clock.advance(2 * MINUTE_MS);
		expect((await verify()).broken).toBeNull();
	});

	it("seals an entry that is committed after entries with greater ids, however late", async () => {
		const memory = newSealMemory();
		const slow = connect(books.database.url, { max: 1 });
		const gate = Promise.withResolvers<void>();
		const inserted = Promise.withResolvers<void>();
		const late = slow.db.transaction(async (tx) => {
			await writeAudit(tx, books, { action: "late", subject: "late" });
			inserted.resolve();
			await gate.promise;
		});
		await inserted.promise;
		for (let round = 0; round < 4; round++) {
			await addLines(2);
			expect(await sealAudit(books, memory)).toBe(2);
		}
		gate.resolve();
		await late;
		await slow.end();
		expect(await sealAudit(books, memory)).toBe(1);
		const [row] = await books.db.execute<{ id: number; sequence: number }>(
			sql`select a.id::int as id, s.sequence::int as sequence from audit a join audit_seal s on s.audit_id = a.id where a.action = 'late'`,
		);
		expect(row).toEqual({ id: 1, sequence: 9 });
		expect((await verify()).broken).toBeNull();
	});

	it("reads only new entries once the earlier ones are settled", async () => {
		await addLines(3);
		const memory = newSealMemory();
		for (let round = 0; round < 4 && memory.doneId < 3; round++) await sealAudit(books, memory);
		expect(memory.doneId).toBe(3);
	});

	it("may run twice concurrently: the second waits, and nothing is sealed twice", async () => {
		await addLines(40);
		const counts = await Promise.all([1, 2, 3].map(() => sealAudit(books, newSealMemory(), { batchLines: 7 })));
		expect(counts.reduce((a, b) => a + b, 0)).toBe(40);
		books.clock.advance(2 * MINUTE_MS);
		expect((await verify()).broken).toBeNull();
	});
});

/** Runs it on an audit log that is restored afterwards. */
async function restored(run: () => Promise<void>): Promise<void> {
	await books.db.execute(sql.raw("create table kept_audit as table audit; create table kept_seal as table audit_seal"));
	await run();
	await tamper(
		books.db,
		"delete from audit_seal; delete from audit; insert into audit select * from kept_audit; insert into audit_seal select * from kept_seal",
	);
	await books.db.execute(sql.raw("drop table kept_audit; drop table kept_seal"));
	expect((await verify()).broken).toBeNull();
}
