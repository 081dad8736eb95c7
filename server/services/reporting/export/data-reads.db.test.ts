import { parse } from "csv-parse/sync";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, it } from "vitest";
import { instance } from "#server/db/schema/instance.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { addMachine, type Books, openBooks } from "#server/services/ledger/charge/testing/books.ts";
import { exportFocus } from "./focus.ts";

const GIB = 1_073_741_824;

let books: Books;
beforeEach(async () => {
	books = await openBooks();
});
afterEach(() => books.database.drop());

it.each([
	["another region of its cloud", "aws:eu-west-1", "0.02", "0.05"],
	["another cloud", "gcp:us-central1", "0.12", "0.3"],
])("exports 2.5 GiB that a machine read from %s at the price charged", async (_, from, unitPrice, cost) => {
	const { instanceId } = await addMachine(books, { region: "us-east-2" });
	const dataReads = [{ from, bytes: 2.5 * GIB, heldMicroUsd: 1_000_000 }];
	await books.db
		.update(instance)
		.set({ dataReads, dataReadAt: new Date(books.clock.nowMs()) })
		.where(eq(instance.id, instanceId));
	await meterAll(books);
	const { chunks } = await exportFocus(books, { month: "2026-11" });
	const parts: Buffer[] = [];
	for await (const chunk of chunks) parts.push(chunk);
	const all: Record<string, string>[] = parse(Buffer.concat(parts), { columns: true });
	const rows = all.filter((row) => row["x_Kind"] === "egress" && row["RegionId"] === from.split(":")[1]);
	expect(rows.map((row) => [row["PricingQuantity"], row["ListUnitPrice"], row["BilledCost"], row["ConsumedUnit"]])).toEqual([
		["2.5", unitPrice, cost, "GiB"],
	]);
});
