import { expect, type Locator, type Page } from "@playwright/test";
import { open, test } from "./support/people.ts";

/** The response of a proxy that cannot reach Spillway. */
const fail = (page: Page, procedure: RegExp) =>
	page.route(procedure, (route) => route.fulfill({ status: 500, contentType: "text/html", body: "<h1>Bad gateway</h1>" }));

/** What happened, why, and what to do; then it works again and is retried by keyboard. */
async function expectToRecover(page: Page, procedure: RegExp, alert: Locator, says: string, retry: Locator): Promise<void> {
	await expect(alert).toContainText(says);
	await expect(alert).toContainText("Unexpected response");
	await expect(retry).toBeVisible();
	await page.unroute(procedure);
	await retry.press("Enter");
	await expect(alert).toHaveCount(0);
}

test("a list that fails leaves its filters usable, and is read again by the keyboard", async ({ page }) => {
	const procedure = /\/api\/trpc\/.*job\.list/;
	await open(page, "/jobs?view=all", "Jobs");
	await expect(page.getByRole("grid", { name: "Jobs" })).toBeVisible();
	await fail(page, procedure);
	await page.getByRole("searchbox", { name: "Name or ID" }).fill("e");
	const alert = page.getByRole("main").getByRole("alert");
	await expect(alert).toBeVisible();
	await expect(page.getByRole("searchbox", { name: "Name or ID" })).toBeEnabled();
	await expectToRecover(page, procedure, alert, "Could not load jobs", alert.getByRole("button", { name: "Try again" }));
	await expect(page.getByRole("grid", { name: "Jobs" })).toBeVisible();
});

test("a script that the server could not read is as it was pasted, and is read again by the keyboard", async ({ page }) => {
	const procedure = /\/api\/trpc\/.*job\.import/;
	await open(page, "/jobs/new?tab=paste", "New job");
	await fail(page, procedure);
	const field = page.getByRole("textbox", { name: "Batch script or manifest" });
	await field.fill("#!/bin/bash\n#SBATCH -J pasted --gres=gpu:1\ntrue\n");
	const alert = page.getByRole("main").getByRole("alert");
	await expectToRecover(page, procedure, alert, "Could not read the script", alert.getByRole("button", { name: "Try again" }));
	await expect(page.getByText("Name pasted")).toBeVisible();
	await expect(field).toHaveValue(/-J pasted/);

	// An error in the text is not retried, but shown with its line.
	await field.fill("kind: Job\nmetadata: {\n");
	await expect(alert).toContainText("The YAML cannot be read at line 3");
	await expect(alert.getByRole("button")).toHaveCount(0);
});

test("a further page that fails leaves what was read, and is read again by the keyboard", async ({ page }) => {
	const procedure = /\/api\/trpc\/.*spend\.charges/;
	await open(page, "/spend/charges", "Charges");
	const rows = page.getByRole("table", { name: "Charges" }).locator("tbody tr");
	await expect(rows.first()).toBeVisible();
	const before = await rows.count();
	await fail(page, procedure);
	await page.getByRole("button", { name: "More charges" }).press("Enter");
	const alert = page.getByRole("main").getByRole("alert");
	await expect(rows).toHaveCount(before);
	await expectToRecover(page, procedure, alert, "Could not load more charges", page.getByRole("button", { name: "Try again" }));
	await expect.poll(() => rows.count()).toBeGreaterThan(before);
	await expect(page.getByRole("button", { name: "Try again" })).toHaveCount(0);
});
