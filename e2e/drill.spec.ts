import { expect, type Locator, type Page } from "@playwright/test";
import { publish } from "./support/database.ts";
import { expectAccessible } from "./support/look.ts";
import { open, test } from "./support/people.ts";
import { makeSettled, rest } from "./support/rest.ts";

/** An amount as shown on hover: dollars to the micro-dollar, or grams. */
async function exact(amount: Locator): Promise<string> {
	const title = await amount.locator("[title]").first().getAttribute("title");
	expect(title).toMatch(/^(\$[\d,]+\.\d{6}|[\d,]+ g CO2.*)$/);
	return title ?? "";
}

const fact = (page: Page, label: string) => page.getByRole("main").locator("dl > div").filter({ hasText: label }).locator("dd").first();

test.use({ person: "finance" });

test("Carbon: every figure of the first group and of the sum leads to charges that add up to it", async ({ page }) => {
	await open(page, "/carbon?range=last_month", "Carbon");
	const table = page.getByRole("table", { name: /^Breakdown/ });
	await expect(table).toBeVisible();
	for (const row of [1, -1])
		for (const [what, label] of [
			["operational", "Operational"],
			["manufacture", "Embodied"],
			["total", "CO2e"],
		] as const) {
			const link = table
				.getByRole("row")
				.nth(row)
				.getByRole("link", { name: new RegExp(`, ${what}: charges$`) })
				.last();
			const amount = await exact(link);
			await link.click();
			await expect(page.getByRole("heading", { level: 1, name: "Charges" })).toBeVisible();
			expect(await exact(fact(page, label))).toBe(amount);
			await page.goBack();
			await expect(table).toBeVisible();
		}
	await page.goForward();
	await expect(page.getByRole("table", { name: "Charges" })).toBeVisible();
	await expectAccessible(page);
});

test("a statement: each line, the total and a team lead to charges that add up to it", async ({ page }) => {
	await open(page, "/statements", "Statements");
	await page.getByRole("table", { name: "Statements by month" }).getByRole("row").nth(2).getByRole("link").click();
	const lines = page.getByRole("table", { name: "Owned and cloud" });
	await expect(lines).toBeVisible();
	await expectAccessible(page);
	const count = await lines.getByRole("row").count();
	for (let row = 1; row < count; row++) {
		const link = lines
			.getByRole("row")
			.nth(row)
			.getByRole("link", { name: /: charges$/ })
			.first();
		if ((await link.count()) === 0) continue;
		const amount = await exact(link);
		await link.click();
		await expect(page.getByRole("heading", { level: 1, name: "Charges" })).toBeVisible();
		expect(await exact(fact(page, "Effective cost"))).toBe(amount);
		await expect(page.getByText(/^Ledger as of the closing of .*version 1/)).toBeVisible();
		await page.goBack();
		await expect(lines).toBeVisible();
	}
});

test("the bills of a month without any say what to do, and lead back to the statement", async ({ page }) => {
	await open(page, "/statements/2020-01/bills", "Bills");
	await expect(page.getByText("No bills imported for this month")).toBeVisible();
	await expectAccessible(page);
	await page.getByRole("link", { name: "Statement", exact: true }).click();
	await expect(page.getByRole("heading", { level: 1, name: "January 2020" })).toBeVisible();
});

test("a budget with a scope beyond team, project and class: its period, a team and a job lead to the charges that it counts", async ({
	page,
}) => {
	await makeSettled();
	const original = (await rest.policy()).source;
	const budget = '{ id: with-gpus, scope: "job.gpus > 0", period: year, capUsd: 1000000, atCap: hold }';
	const source = original.replace(/(\n *)(?=- \{ id: cloud-month,)/, `$1- ${budget}$1`);
	expect(source).toContain("with-gpus");
	await publish(source, "A budget that asks for GPUs");
	try {
		await open(page, "/budgets?budget=with-gpus", "Budgets");
		const links = page.getByRole("main").getByRole("link", { name: /: charges$/ });
		const ofPeriod = page.getByRole("link", { name: /Posted to with-gpus: charges$/ });
		await expect(ofPeriod).toBeVisible();
		const ofJob = page
			.getByRole("table", { name: "Top jobs by cost" })
			.getByRole("link", { name: /: charges$/ })
			.first();
		const ofTeam = page
			.getByRole("listitem")
			.getByRole("link", { name: /: charges$/ })
			.first();
		await expect.poll(() => links.count()).toBeGreaterThan(2);
		for (const link of [ofPeriod, ofTeam, ofJob]) {
			const amount = await exact(link);
			await link.click();
			await expect(page.getByRole("heading", { level: 1, name: "Charges" })).toBeVisible();
			await expect(page.getByText("Counted by budget with-gpus")).toBeVisible();
			expect(await exact(fact(page, "Posted to with-gpus"))).toBe(amount);
			await expect(page.getByRole("table", { name: "Charges" }).getByRole("row").nth(1)).toBeVisible();
			await page.goBack();
			await expect(ofPeriod).toBeVisible();
		}
		await page.goForward();
		await expect(page.getByRole("table", { name: "Charges" })).toBeVisible();
		await expectAccessible(page);
	} finally {
		await publish(original, "Put back after the test of a budget's charges");
	}
});
