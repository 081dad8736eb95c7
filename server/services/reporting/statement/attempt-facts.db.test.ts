import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attempt } from "#server/db/schema/attempt.ts";
import { SECOND_MS } from "#server/kernel/units.ts";
import { addJob, addMachine, type Books, openBooks, T0 } from "#server/services/ledger/charge/testing/books.ts";

let books: Books;
beforeAll(async () => {
	books = await openBooks();
});
afterAll(() => books.database.drop());

const decide = (jobId: string, homeMs: number, decidedMs: number) =>
	books.database.sql`
		insert into decision (id, job_id, decided_at, attempt_number, policy_name, policy_version, explanation)
		values (${`dec_${jobId}_${decidedMs}`}, ${jobId}, ${new Date(decidedMs).toISOString()}::timestamptz, 1, 'default', 1,
			${{ homeStart: { p50Ms: homeMs } } as never}::jsonb)`;

async function factsOf(jobId: string): Promise<[string, bigint | null] | null> {
	const [row] = await books.db.select({ team: attempt.team, home: attempt.homeStartMs }).from(attempt).where(eq(attempt.jobId, jobId));
	return row ? [row.team, row.home] : null;
}

describe("attempt columns filled in by the database", () => {
	it("sets the job's team and the home forecast of the deciding decision, whichever is written first", async () => {
		const later = await addMachine(books, { team: "vision" });
		expect(await factsOf(later.jobId)).toEqual(["vision", null]);
		await decide(later.jobId, T0 + SECOND_MS, T0);
		expect(await factsOf(later.jobId)).toEqual(["vision", BigInt(T0 + SECOND_MS)]);
		const before = await addJob(books, { team: "risk" });
		await decide(before, T0 + 2 * SECOND_MS, T0);
		await addMachine(books, { jobId: before });
		expect(await factsOf(before)).toEqual(["risk", BigInt(T0 + 2 * SECOND_MS)]);
	});

	it("uses the newest of several decisions, even when an older one is written after it", async () => {
		const { jobId } = await addMachine(books);
		await decide(jobId, T0 + 5 * SECOND_MS, T0 + 10);
		await decide(jobId, T0 + 9 * SECOND_MS, T0 + 5);
		expect(await factsOf(jobId)).toEqual(["risk", BigInt(T0 + 5 * SECOND_MS)]);
	});
});
