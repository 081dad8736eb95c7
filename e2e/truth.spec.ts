import { expect, type Page } from "@playwright/test";
import { open, test } from "./support/people.ts";
import { makeSettled } from "./support/rest.ts";
import { API_URL, token } from "./support/system.ts";

test.use({ person: "platform" });

interface Shown {
	screen: string;
	value: string;
}

/** Every named quantity on the page, by name. */
async function readFacts(page: Page): Promise<[string, string][]> {
	return page
		.locator("[data-fact]")
		.evaluateAll((marks) =>
			marks.map((mark): [string, string] => [mark.getAttribute("data-fact") ?? "", mark.getAttribute("data-fact-value") ?? ""]),
		);
}

async function get<T>(path: string): Promise<T> {
	const answer = await fetch(`${API_URL}${path}`, { headers: { authorization: `Bearer ${token()}` } });
	expect(answer.status, path).toBe(200);
	return (await answer.json()) as T;
}

type Job = { id: string; name: string; costMicroUsd: string; finishedAt: string | null };

/**
 * A past month does not change while the screens are read; the current month's idle hours do. A statement of a month
 * that changed after its closing shows the state at closing, and Spend the current ledger.
 */
async function pastMonth(): Promise<string> {
	const { items } = await get<{ items: { month: string; state: string }[] }>("/statements");
	const past = items.find(({ state }) => state !== "open" && state !== "changed");
	expect(past, "a past month").toBeDefined();
	return past?.month ?? "";
}

test("each amount and time that two screens show is the same on both", async ({ page }) => {
	await makeSettled();
	const { items } = await get<{ items: Job[] }>("/jobs?limit=200");
	const job = items.find((j) => j.finishedAt !== null && BigInt(j.costMicroUsd) > 0n);
	const month = await pastMonth();
	const [year = 0, number = 1] = month.split("-").map(Number);
	const lastDay = new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
	const budgets = await get<{ items: { id: string }[] }>("/budgets");
	const screens: [string, string | RegExp][] = [
		["/", "Overview"],
		[`/jobs?view=all&q=${job?.name}`, "Jobs"],
		[`/jobs/${job?.id}`, job?.name ?? ""],
		[`/jobs/${job?.id}/cost`, job?.name ?? ""],
		["/policies", "Policies"],
		...budgets.items.map(({ id }): [string, string] => [`/budgets?budget=${id}`, "Budgets"]),
		[`/spend?from=${month}-01&to=${lastDay}`, "Spend"],
		["/statements", "Statements"],
		[`/statements/${month}`, /20\d\d/],
	];
	const facts = new Map<string, Shown[]>();
	for (const [path, title] of screens) {
		await open(page, path, title);
		await expect(page.locator("main [data-fact]").first()).toBeVisible();
		await expect(page.locator("main [aria-busy=true]")).toHaveCount(0);
		for (const [name, value] of await readFacts(page)) facts.set(name, [...(facts.get(name) ?? []), { screen: path, value }]);
	}
	const thisMonth = new Date().toISOString().slice(0, 7);
	const shared = [...facts].filter(
		([name, shown]) => new Set(shown.map((s) => s.screen)).size > 1 && !name.startsWith(`month/${thisMonth}`),
	);
	for (const [name, shown] of shared) expect(new Set(shown.map((s) => s.value)).size, `${name}: ${JSON.stringify(shown)}`).toBe(1);
	const names = shared.map(([name]) => name);
	expect(names).toEqual(expect.arrayContaining([`job/${job?.id}/cost`, `job/${job?.id}/finished`, `month/${month}//total`]));
	expect(names).toEqual(expect.arrayContaining([`month/${month}//side-owned`, `month/${month}//side-cloud`]));
	expect(names.filter((name) => name.startsWith("budget/")).length).toBeGreaterThanOrEqual(3);
});
