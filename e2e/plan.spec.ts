import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "@playwright/test";
import { open, test } from "./support/people.ts";

const TRACE = readFileSync(path.resolve(import.meta.dirname, "../examples/simulate/trace.csv"));

test("an uploaded trace becomes a decision with options that can be shown", async ({ page }) => {
	await open(page, "/plan", "Plan");
	await page.getByRole("button", { name: "New study" }).click();
	await page.getByLabel("Trace file").setInputFiles({ name: "trace.csv", mimeType: "text/csv", buffer: TRACE });
	await page.getByLabel("Owned GPUs").fill("32");
	await page.getByRole("button", { name: "Upload and study" }).click();
	await expect(page.getByRole("table", { name: "Options" })).toBeVisible();
	await expect(page.getByRole("heading", { name: /^(Go|Pilot first|No-go)/ })).toBeVisible();
	const cloud = page.getByRole("button", { name: "Cloud only" });
	await cloud.click();
	await expect(cloud).toHaveAttribute("aria-pressed", "true");
	await expect(page).toHaveURL(/option=cloud_only/);
	await expect(page.getByRole("table", { name: "Published claims" })).toBeVisible();
	const jobs = page.getByRole("status").filter({ hasText: /^\d+ jobs$/ });
	await expect(jobs).toHaveText("230 jobs");
	await page.getByRole("combobox", { name: "Team" }).selectOption("risk");
	await expect(page).toHaveURL(/team=risk/);
	await expect(jobs).not.toHaveText("230 jobs");
	await page.getByRole("combobox", { name: "Team" }).selectOption("All teams");
	await expect(jobs).toHaveText("230 jobs");
	await page.getByRole("link", { name: "Decision", exact: true }).click();
	await expect(page.getByRole("table", { name: "Options of the decision" })).toBeVisible();
	const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download PDF" }).click()]);
	expect(file.suggestedFilename()).toMatch(/^spillway-plan-.*\.pdf$/);
});

test.describe("a data scientist", () => {
	test.use({ person: "scientist" });
	test("has no entry and no access", async ({ page }) => {
		await open(page, "/plan", "Plan");
		await expect(page.getByText("Access denied")).toBeVisible();
		await expect(page.getByRole("link", { name: "Plan", exact: true })).toHaveCount(0);
	});
});
