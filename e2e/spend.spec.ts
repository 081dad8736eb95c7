import { readFile } from "node:fs/promises";
import { expect, type Locator, type Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "./support/look.ts";
import { open, test } from "./support/people.ts";

/** A past month of the demo's simulated history, which no longer changes. */
const PAST = "range=last_month";

/** The exact amount, in micro-dollars, from the tooltip. */
async function exact(amount: Locator): Promise<string> {
	const title = await amount.locator("[title^='$']").first().getAttribute("title");
	expect(title).toMatch(/^\$[\d,]+\.\d{6}$/);
	return title ?? "";
}

const micro = (dollars: string) => BigInt(dollars.replaceAll(/[^\d-]/g, ""));
const table = (page: Page) => page.getByRole("table", { name: /^Breakdown by/ });
const effective = (page: Page) => page.getByRole("main").locator("dl > div").filter({ hasText: "Effective cost" }).locator("dd").first();

test("filters by chip, group and dates, stored in the URL", async ({ page }) => {
	await open(page, `/spend?${PAST}`, "Spend");
	await expect(table(page)).toBeVisible();
	await page.getByRole("button", { name: "Capacity", exact: true }).click();
	await page.getByRole("menuitemcheckbox", { name: "spot", exact: true }).click();
	await expect(page).toHaveURL(/capacity=spot/);
	await page.keyboard.press("Escape");
	await page.getByRole("navigation", { name: "Group by" }).getByRole("link", { name: "Project" }).click();
	await expect(page).toHaveURL(/by=project.*capacity=spot/);
	await expect(page.getByRole("table", { name: "Breakdown by project" })).toBeVisible();
	await expectAccessible(page);
	await page.getByRole("button", { name: "Clear filters" }).click();
	await expect(page).not.toHaveURL(/capacity=/);

	const from = await page.getByLabel("First day").inputValue();
	await page.getByLabel("Last day").fill(`${from.slice(0, 8)}10`);
	await page.getByRole("button", { name: "Show", exact: true }).click();
	await expect(page).toHaveURL(new RegExp(`from=${from}&to=${from.slice(0, 8)}10`));
	await expect(page.getByRole("table", { name: "Owned and cloud spend per day" }).getByRole("row")).toHaveCount(11);
});

for (const by of ["team", "accelerator", "time"] as const) {
	test(`by ${by}: every figure of the most expensive group links to charges with the same sum`, async ({ page }) => {
		await open(page, `/spend?${PAST}&by=${by}`, "Spend");
		await expect(table(page)).toBeVisible();
		const links = table(page)
			.getByRole("row")
			.nth(1)
			.getByRole("link", { name: /: charges$/ });
		const count = await links.count();
		expect(count).toBeGreaterThan(0);
		for (let n = 0; n < count; n++) {
			const link = links.nth(n);
			if (!(await link.isVisible())) continue;
			const amount = await exact(link);
			await link.click();
			await expect(page.getByRole("heading", { level: 1, name: "Charges" })).toBeVisible();
			expect(await exact(effective(page))).toBe(amount);
			await page.goBack();
			await expect(table(page)).toBeVisible();
		}
	});
}

test("bars, wasted spend and jobs link to their charges, and charges to their jobs", async ({ page }) => {
	await open(page, `/spend?${PAST}&by=job`, "Spend");
	await expect(table(page)).toBeVisible();
	for (const link of [
		page.getByRole("link", { name: /All lost work: charges$/ }),
		table(page)
			.getByRole("row")
			.nth(1)
			.getByRole("link", { name: /: charges$/ }),
	]) {
		const amount = await exact(link);
		await link.click();
		await expect(page.getByRole("heading", { level: 1, name: "Charges" })).toBeVisible();
		expect(await exact(effective(page))).toBe(amount);
		await page.goBack();
		await expect(table(page)).toBeVisible();
	}
	const chart = page.getByRole("slider", { name: /^Owned and cloud spend per day/ });
	await chart.focus();
	await page.keyboard.press("Home");
	await page.keyboard.press("Space");
	await expect(page).toHaveURL(/[?&]bar=/);
	await expect(page.getByRole("link", { name: "Clear bar" })).toBeVisible();
	await chart.press("Escape");
	await expect(page).not.toHaveURL(/[?&]bar=/);
	await chart.press("Home");
	await page.keyboard.press("Enter");
	await expect(page).toHaveURL(/\/spend\/charges\?from=(\S+)&to=\1/);
	await page.getByRole("table", { name: "Charges" }).locator("a[href^='/jobs/job_']").first().click();
	await expect(page).toHaveURL(/\/jobs\/job_/);
	await page.getByRole("navigation", { name: "Job sections" }).getByRole("link", { name: "Cost" }).click();
	await page
		.getByRole("table", { name: "Receipt" })
		.getByRole("link", { name: /charges$/ })
		.click();
	await expect(page.getByText("Job:")).toBeVisible();
});

test("all pages of charges add up to the total", async ({ page }) => {
	await open(page, `/spend?${PAST}&by=team`, "Spend");
	await table(page)
		.getByRole("link", { name: /^\S+ research: charges$/ })
		.last()
		.click();
	const charges = page.getByRole("table", { name: "Charges" });
	await expect(charges).toBeVisible();
	await expectAccessible(page);
	const more = page.getByRole("button", { name: "More charges" });
	while (await more.isVisible()) {
		const rows = await charges.getByRole("row").count();
		await more.click();
		await expect.poll(() => charges.getByRole("row").count()).toBeGreaterThan(rows);
	}
	const titles = await charges
		.locator("tbody tr td:nth-child(3) [title^='$'], tbody tr td:nth-child(3) [title^='−']")
		.evaluateAll((all) => all.map((el) => el.getAttribute("title") ?? ""));
	const sum = titles.reduce((total, text) => total + micro(text.replace("−", "-")), 0n);
	expect(sum).toBe(micro(await exact(effective(page))));
});

test("exports the table with exact amounts, and the month as FOCUS", async ({ page, request }) => {
	await open(page, `/spend?${PAST}`, "Spend");
	const total = await exact(table(page).getByRole("row").last().getByRole("link", { name: "Total: charges" }).last());
	const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export CSV" }).click()]);
	const lines = (await readFile(await file.path(), "utf8")).trimEnd().split("\r\n");
	expect(lines).toHaveLength(await table(page).getByRole("row").count());
	expect(lines.at(-1)?.split(",")[4]).toBe(total.replaceAll(/[$,]/g, ""));
	const href = await page.getByRole("main").locator("a[href^='/api/exports/focus']").first().getAttribute("href");
	const focus = await request.get(href ?? "");
	expect([focus.status(), (await focus.text()).split("\n")[0]]).toEqual([200, expect.stringContaining("EffectiveCost")]);
});

test("filters without matches can be cleared; job totals are not available by region", async ({ page }) => {
	await open(page, `/spend?${PAST}&team=none`, "Spend");
	await expect(page.getByRole("heading", { name: "No charges match these filters" }).first()).toBeVisible();
	await expectAccessible(page);
	await page.getByRole("main").getByRole("link", { name: "Clear filters" }).first().click();
	await expect(table(page)).toBeVisible();
	await open(page, `/spend?${PAST}&by=job&region=us-east-1`, "Spend");
	await expect(page.getByText(/Job totals are available by team, project and class, not by region/)).toBeVisible();
});

test("days before the ledger show no spend and no charges", async ({ page }) => {
	await open(page, "/spend?from=2020-01-01&to=2020-01-31", "Spend");
	await expect(page.getByRole("heading", { name: "No spend in this range" }).first()).toBeVisible();
	await open(page, "/spend/charges?from=2020-01-01&to=2020-01-31", "Charges");
	await expect(page.getByRole("heading", { name: "No charges in these days" })).toBeVisible();
});

test.describe("a data scientist", () => {
	test.use({ person: "scientist", viewport: { width: 390, height: 844 } });

	test("sees only the spend and charges of their teams, on a phone", async ({ page }) => {
		await open(page, `/spend?${PAST}`, "Spend");
		await expect(page.getByText(/Shows your teams only/)).toBeVisible();
		await expect(table(page)).toBeVisible();
		await expect(table(page)).not.toContainText("risk");
		await expectAccessible(page);
		await open(page, `/spend/charges?${PAST}&team=risk`, "Charges");
		await expect(page.getByRole("heading", { name: "No charges match these filters" })).toBeVisible();
		await open(page, `/spend/charges?${PAST}`, "Charges");
		await expect(page.getByRole("table", { name: "Charges" })).toBeVisible();
		await expectAccessible(page);
		await expectNoSidewaysScroll(page);
	});
});
