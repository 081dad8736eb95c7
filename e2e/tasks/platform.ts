import { expect, type Page } from "@playwright/test";
import { dialog, main, openScreen } from "./places.ts";
import { sleepingJob } from "./task-demo.ts";
import type { Task } from "./walker.ts";

async function startEditing(page: Page): Promise<void> {
	await openScreen(page, "Policies");
	await page.getByRole("button", { name: "Edit", exact: true }).click();
}

async function expectPublished(page: Page): Promise<void> {
	await dialog(page).getByRole("button", { name: "Publish" }).click();
	await expect(page.getByText(/^Version \d+ is active$/)).toBeVisible();
}

const RULES: readonly Task[] = [
	{
		title: "Change a rule, backtest the change and publish it",
		run: async ({ page }) => {
			await startEditing(page);
			const rules = page.getByRole("list", { name: "Rules" });
			await rules.getByRole("button", { name: /^burst-on-wait/ }).click();
			await rules
				.getByRole("group", { name: /^burst-on-wait/ })
				.getByLabel("Forecast wait above")
				.fill("45m");
			const backtest = page.locator("#backtest");
			await backtest.getByText("7 days").click();
			// After the edit, a backtest has started by itself; its figures stay until the new one begins.
			const chosen = () => new URL(page.url()).searchParams.get("backtest");
			const earlier = chosen();
			await backtest.getByRole("button", { name: /^Run( again)?$/ }).click();
			await expect.poll(chosen).not.toBe(earlier);
			await expect(backtest.getByText(/^Ran .*on this draft/)).toBeVisible();
			await page.getByRole("button", { name: "Publish" }).click();
			await expect(dialog(page).getByRole("region", { name: /^Backtest .* of this draft/ })).toBeVisible();
			await dialog(page).getByLabel("Reason").fill("Wait longer at home");
			await expectPublished(page);
		},
	},
	{
		title: "Add a budget for a team",
		run: async ({ page }) => {
			await openScreen(page, "Budgets");
			await page.getByRole("button", { name: "Add budget" }).click();
			await dialog(page).getByLabel("Name", { exact: true }).fill("vision-month");
			await dialog(page).getByLabel("Jobs", { exact: true }).selectOption("vision");
			await dialog(page).getByLabel("Cap ($)").fill("4000");
			await dialog(page).getByLabel("Reason").fill("A cap for vision");
			await dialog(page).getByRole("button", { name: "Add budget" }).click();
			await expect(page.getByRole("table", { name: "Budgets" }).getByRole("link", { name: "vision-month" })).toBeVisible();
		},
	},
	{
		title: "See what a rule did in the last 30 days",
		prepare: async ({ demo }) => {
			const id = await demo.submit(sleepingJob({ name: "stays-at-home", command: ["true"] }));
			await demo.jobWhen(id, "has ended", ({ finishedAt }) => finishedAt !== null);
		},
		run: async ({ page }) => {
			await openScreen(page, "Policies");
			await expect(
				main(page)
					.getByText(/^excluded places for \d+ jobs?/)
					.first(),
			).toBeVisible();
		},
	},
	{
		title: "Find who published the last policy",
		run: async ({ page }) => {
			await openScreen(page, "Policies");
			await expect(main(page).getByRole("listitem").filter({ hasText: "Active" }).getByText("Pia Platform")).toBeVisible();
		},
	},
];

const CAPACITY: readonly Task[] = [
	{
		title: "Add a cloud account, checked",
		run: async ({ page }) => {
			await openScreen(page, "Settings");
			await page.getByRole("link", { name: "Add site" }).click();
			await page.getByLabel("ID", { exact: true }).fill("aws-second");
			await page.getByLabel("Regions").fill("us-east-1");
			await page.getByLabel("Machine image").fill("ami-0123456789abcdef0");
			await page.getByLabel("Source", { exact: true }).selectOption({ label: "Detect from environment" });
			await page.getByRole("button", { name: "Check" }).click();
			await expect(page.getByText("All checks passed.")).toBeVisible();
			await page.getByRole("button", { name: "Add site" }).click();
			await expect(page.getByRole("listitem").filter({ hasText: "aws-second, aws" })).toContainText("reachable");
		},
	},
	{
		title: "List a copy of a data set",
		run: async ({ page }) => {
			await openScreen(page, "Settings");
			await page.getByRole("link", { name: "Data", exact: true }).click();
			await page.getByRole("button", { name: "Add copy" }).click();
			await dialog(page).getByLabel("Data set").fill("s3://acme/claims");
			await dialog(page).getByLabel("Place").fill("aws:eu-west-1");
			await dialog(page).getByLabel("Address there").fill("s3://acme-eu/claims");
			await dialog(page).getByRole("button", { name: "Save" }).click();
			await expect(main(page).getByRole("table", { name: "Data sets" })).toContainText("s3://acme-eu/claims");
		},
	},
	{
		title: "See which owned GPUs are free, and since when the others are busy",
		run: async ({ page }) => {
			await openScreen(page, "Capacity");
			await expect(page.getByRole("table", { name: "Sites and pools" })).toBeVisible();
			await expect(page.getByRole("region", { name: "Owned GPUs in use by hour" })).toBeVisible();
		},
	},
	{
		title: "See what the region outage of last Tuesday did",
		run: async ({ page }) => {
			await openScreen(page, "Spend");
			await page.getByRole("link", { name: "90 days" }).click();
			await page.getByRole("button", { name: /lost \d+ running attempts/ }).click();
			await expect(
				main(page)
					.getByText(/ lost \d+ running attempts/)
					.first(),
			).toBeVisible();
			await openScreen(page, "Performance");
			await page.getByRole("link", { name: "90 days" }).click();
			const lost = page.getByRole("table", { name: "Lost GPU-hours by cause" }).getByRole("row", { name: /^Machine lost/ });
			await expect(lost).toContainText(/[1-9]/);
		},
	},
];

export const PLATFORM_TASKS: readonly Task[] = [...RULES, ...CAPACITY];
