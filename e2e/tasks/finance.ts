import { readFile } from "node:fs/promises";
import { expect } from "@playwright/test";
import { dialog, jobLink, main, openScreen } from "./places.ts";
import type { Task, Walk } from "./walker.ts";

const SPENDING: readonly Task[] = [
	{
		title: "Approve a job up to its expected cost",
		run: async ({ page }) => {
			await jobLink(page, /^rlhf-full-cluster/).click();
			await page.getByRole("button", { name: /^Approve / }).click();
			await expect(page.getByText(/^Approved/).first()).toBeVisible();
		},
	},
	{
		title: "Find why a month costs more, and the jobs behind it",
		run: async ({ page }) => {
			await page
				.getByRole("table", { name: "Causes by line of work" })
				.getByRole("link", { name: /: jobs$/ })
				.first()
				.click();
			await expect(page.getByRole("table", { name: "Breakdown by job" })).toBeVisible();
		},
	},
	{
		title: "Change the cap of a budget",
		run: async ({ page }) => {
			await openScreen(page, "Budgets");
			await page.getByRole("button", { name: "Change cap" }).click();
			await dialog(page).getByLabel("New cap ($)").fill("62000");
			await dialog(page).getByLabel("Reason").fill("Two more teams");
			await dialog(page).getByRole("button", { name: "Change cap" }).click();
			await expect(page.getByRole("row", { name: /cloud-month/ }).first()).toContainText("$62,000");
		},
	},
	{
		title: "Enter a discount",
		run: async ({ page }) => {
			await openScreen(page, "Settings");
			await page.getByRole("link", { name: "Discounts" }).click();
			await page.getByRole("button", { name: "Add discount" }).click();
			for (const [label, text] of Object.entries({ Name: "edp", "Discount (%)": "12.5", From: "2026-12-01", Source: "EDP, annex 2" }))
				await dialog(page).getByLabel(label, { exact: true }).fill(text);
			await dialog(page).getByRole("button", { name: "Save" }).click();
			await expect(page.getByRole("list", { name: "Discounts" })).toContainText("12.5% off on-demand");
		},
	},
];

/** A credit of ten dollars in FOCUS. */
async function billOf({ demo }: Walk): Promise<{ name: string; text: string }> {
	const { items } = (await demo.call("GET", "/statements")) as { items: { month: string; state: string }[] };
	const month = items.find(({ state }) => state === "to_close")?.month ?? "";
	const head =
		"BilledCost,BillingCurrency,BillingPeriodStart,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,ContractedCost,EffectiveCost,ListCost,ProviderName,ResourceId";
	const hour = `${month}-10T00:00:00Z,${month}-10T01:00:00Z`;
	return { name: `aws-${month}.csv`, text: `${head}\n-10,USD,${month}-01T00:00:00Z,Credit,${hour},-10,-10,-10,AWS,NULL` };
}

const CLOSING: readonly Task[] = [
	{
		title: "Import a provider's bill by dropping its file",
		run: async (walk) => {
			const { page } = walk;
			const { name, text } = await billOf(walk);
			await main(page)
				.getByRole("link", { name: /^Import bills of/ })
				.first()
				.click();
			const drop = await page.evaluateHandle(
				({ fileName, content }) => {
					const data = new DataTransfer();
					data.items.add(new File([content], fileName, { type: "text/csv" }));
					return data;
				},
				{ fileName: name, content: text },
			);
			await main(page).getByText("or drop a FOCUS file here").dispatchEvent("drop", { dataTransfer: drop });
			await dialog(page).getByRole("button", { name: "Import and post" }).click();
			await expect(page.getByText(`${name} imported`)).toBeVisible();
		},
	},
	{
		title: "Close a month",
		run: async ({ page }) => {
			await main(page)
				.getByRole("link", { name: /^Close / })
				.first()
				.click();
			await page.getByRole("button", { name: "Close month" }).click();
			await dialog(page).getByRole("button", { name: "Close month" }).click();
			await expect(page.getByText(/^sha256 [0-9a-f]{64}$/)).toBeVisible();
		},
	},
	{
		title: "Sign a statement",
		run: async ({ page }) => {
			await main(page)
				.getByRole("link", { name: /^Sign / })
				.first()
				.click();
			await page.getByRole("button", { name: "Sign", exact: true }).click();
			await dialog(page).getByLabel("I have read this statement and accept it.").check();
			await dialog(page)
				.getByRole("button", { name: /^Sign version/ })
				.click();
			await expect(page.getByText("Finn Finance").last()).toBeVisible();
		},
	},
	{
		title: "Export a month as FOCUS",
		run: async ({ page }) => {
			await openScreen(page, "Spend");
			const link = main(page).locator("a[href^='/api/exports/focus']").first();
			const [file] = await Promise.all([page.waitForEvent("download"), link.click()]);
			expect(await readFile(await file.path(), "utf8")).toContain("EffectiveCost");
		},
	},
];

export const FINANCE_TASKS: readonly Task[] = [...SPENDING, ...CLOSING];
