import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ran, runCommand } from "#cli/testing/run-command.ts";
import { ManualClock } from "#server/kernel/clock.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { chargesOf } from "#server/services/ledger/charge/charges-of.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { addMachine, type Books, T0, terminate } from "#server/services/ledger/charge/testing/books.ts";
import { RestWorld } from "../testing/rest-world.ts";

let world: RestWorld;
let chargeId: string;
/** A cloud machine that ran for an hour at $4. */
beforeAll(async () => {
	world = await RestWorld.open();
	const { database } = world;
	const books: Books = { database, db: database.db, clock: new ManualClock(T0), actor: { kind: "system", part: "seed" }, requestId: null };
	const machine = await addMachine(books, { microUsdPerHour: 4_000_000n, team: "research" });
	books.clock.advance(HOUR_MS);
	await terminate(books, machine.instanceId);
	await meterAll(books);
	chargeId = (await chargesOf(books, machine.jobId))[0]?.id ?? "";
});
afterAll(() => world.close());

function spillway(as: "finance" | "scientist", ...args: string[]): Promise<Ran> {
	return runCommand(args, {
		env: { SPILLWAY_TOKEN: world.tokens[as], SPILLWAY_URL: world.url },
	});
}

describe("a refund", () => {
	it("is listed as possible for finance; a data scientist's request is rejected", async () => {
		const range = "from=2026-11-01&to=2026-12-01";
		expect((await world.get(`/charges?${range}`, { as: "finance" })).json.may).toEqual({ refund: true });
		expect((await world.get(`/charges?${range}`, { as: "scientist" })).json.may).toEqual({ refund: false });
		const refused = await spillway("scientist", "charges", "refund", chargeId, "--reason", "the disk was slow");
		expect(refused).toMatchObject({ out: "", err: expect.stringContaining("does not allow rates:change") });
		expect(refused.code).not.toBe(0);
	});

	it("of $1.50 of $4 by the command leaves $2.50; without an amount it refunds the rest, and then nothing remains", async () => {
		const part = await spillway("finance", "charges", "refund", chargeId, "--reason", "the disk was slow", "--amount", "$1.50");
		expect(part, part.err).toMatchObject({ code: 0, out: `${chargeId}  $1.500000 refunded, $2.500000 left\n` });
		const listed = await spillway("finance", "charges", "--from", "2026-11-01", "--to", "2026-12-01");
		expect(listed.out).toContain(chargeId);
		// A repeated request gets the same response, and refunds nothing twice.
		const headers = { "idempotency-key": "refund-1" };
		const once = () =>
			world.call("POST", `/api/v1/charges/${chargeId}/refund`, { as: "finance", body: { reason: "a cent", amountUsd: "0.01" }, headers });
		for (const { status, json } of [await once(), await once()]) expect([status, json]).toMatchObject([201, { leftMicroUsd: "2490000" }]);
		const rest = await world.call("POST", `/api/v1/charges/${chargeId}/refund`, { as: "finance", body: { reason: "all of it" } });
		expect([rest.status, rest.json]).toMatchObject([201, { refundedMicroUsd: "2490000", leftMicroUsd: "0" }]);
		const again = await spillway("finance", "charges", "refund", chargeId, "--reason", "again");
		expect(again.code).not.toBe(0);
	});

	it.each([
		[["charges", "refund"], "Name the charge"],
		[["charges", "refund", "chg_1"], "--reason is missing"],
		[["charges", "burn"], 'There is no "charges burn"'],
	])("%j reports what is missing", async (args, message) => {
		expect(await spillway("finance", ...args)).toMatchObject({ code: 2, out: "", err: expect.stringContaining(message) });
	});
});
