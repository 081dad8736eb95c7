import { expect, it } from "vitest";
import { readOn } from "./read-on.ts";

const pagesOf = (count: number, isError = false) => ({ data: { pages: Array.from({ length: count }) }, isError });

function answers(...given: ReturnType<typeof pagesOf>[]) {
	let asked = 0;
	const fetch = () => Promise.resolve(given[Math.min(asked++, given.length - 1)] ?? pagesOf(0));
	return { fetch, asked: () => asked };
}

it("requests a page again if a refetch dropped it, and stops once it has arrived", async () => {
	const query = answers(pagesOf(2), pagesOf(2), pagesOf(3));
	await readOn(2, query.fetch);
	expect(query.asked()).toBe(3);
});

it("shows a failure and stops retrying", async () => {
	const failed = answers(pagesOf(2, true));
	await readOn(2, failed.fetch);
	expect(failed.asked()).toBe(1);
	const stuck = answers(pagesOf(2));
	await readOn(2, stuck.fetch);
	expect(stuck.asked()).toBe(5);
});
