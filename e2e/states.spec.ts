import { expect, type Page } from "@playwright/test";
import { open, test } from "./support/people.ts";

test("filters that nothing matches: it says so, and clears them", async ({ page }) => {
	await open(page, "/jobs?view=all&q=no-job-is-called-this", "Jobs");
	await expect(page.getByRole("heading", { name: "No jobs match these filters" })).toBeVisible();
	await page.getByRole("button", { name: "Clear filters" }).click();
	await expect(page.getByRole("grid", { name: "Jobs" })).toBeVisible();
	await expect(page).toHaveURL(/\/jobs\?view=all$/);
});

test("a view without anything in it says what would stand there", async ({ page }) => {
	await open(page, "/jobs?view=cloud", "Jobs");
	await expect(page.getByRole("heading", { name: "Nothing is in the cloud now" })).toBeVisible();
});

test("a job that is not there, and an address that leads nowhere", async ({ page }) => {
	await page.goto("/jobs/job_00000000000000000000000000");
	await expect(page.getByRole("main")).toContainText(/not found|There is no job/i);
	await page.goto("/no-such-screen");
	await expect(page.getByRole("heading", { name: /Not found/ })).toBeVisible();
});

test("a read that fails: its panel says what, with the id of the request, and tries again", async ({ page }) => {
	await open(page, "/jobs?view=all", "Jobs");
	await expect(page.getByRole("grid", { name: "Jobs" })).toBeVisible();
	// The real server answers, and refuses: what it is asked is bent on the way.
	await page.route(/\/api\/trpc\/.*job\.list/, (route) => {
		const url = new URL(route.request().url());
		url.searchParams.set("input", url.searchParams.get("input")?.replaceAll('"limit":100', '"limit":-1') ?? "");
		return route.continue({ url: url.href });
	});
	await page.getByRole("button", { name: "Class", exact: true }).click();
	await page.getByRole("menuitemcheckbox", { name: "burst", exact: true }).click();
	const alert = page.getByRole("main").getByRole("alert");
	await expect(alert).toContainText("The jobs could not be loaded");
	await expect(alert).toContainText(/Request\s*[0-9a-f]{8}/);

	await page.unroute(/\/api\/trpc\/.*job\.list/);
	await alert.getByRole("button", { name: "Try again" }).click();
	await expect(page.getByRole("grid", { name: "Jobs" })).toBeVisible();
	await expect(alert).toHaveCount(0);
});

test("the keyboard goes everywhere", async ({ page }) => {
	await open(page, "/", "Overview");
	await page.keyboard.press("g");
	await page.keyboard.press("j");
	await expect(page.getByRole("heading", { level: 1, name: "Jobs" })).toBeVisible();
	await expect(page.getByRole("grid", { name: "Jobs" }).or(page.getByRole("heading", { level: 3 }))).toBeVisible();
	await page.keyboard.press("/");
	await expect(page.getByRole("searchbox", { name: "Name or id" })).toBeFocused();
	await page.keyboard.press("Escape");

	await page.getByRole("heading", { level: 1 }).click();
	await page.keyboard.press("?");
	const shortcuts = page.getByRole("dialog", { name: "Keyboard shortcuts" });
	await expect(shortcuts).toBeVisible();
	await page.keyboard.press("Escape");
	await expect(shortcuts).toBeHidden();

	await page.keyboard.press("Control+k");
	const palette = page.getByRole("dialog", { name: "Command palette" });
	await expect(palette).toBeVisible();
	await page.keyboard.type("fraud-v");
	await expect(palette.getByRole("option", { name: /fraud-v/ }).first()).toBeVisible();
	await page.keyboard.press("Enter");
	await expect(page).toHaveURL(/\/jobs\/job_/);
});

/** The head of the file that a button hands out, by the keyboard. */
async function headOf(page: Page, button: string): Promise<string> {
	const [download] = await Promise.all([
		page.waitForEvent("download"),
		page.getByRole("button", { name: button, exact: true }).press("Enter"),
	]);
	const chunks: Buffer[] = [];
	for await (const chunk of await download.createReadStream()) chunks.push(chunk);
	const [head = "", ...lines] = Buffer.concat(chunks).toString("utf8").split("\r\n");
	expect(lines.length, `lines of ${download.suggestedFilename()}`).toBeGreaterThan(1);
	return head;
}

test("what the Overview and the policy show is handed out as CSV", async ({ page }) => {
	await open(page, "/?range=7d", "Overview");
	expect(await headOf(page, "Demand for GPUs as CSV")).toMatch(/^From \(UTC\),To \(UTC\),Wanted GPUs,Owned GPUs,local owned/);
	expect(await headOf(page, "What just happened as CSV")).toMatch(/^At \(UTC\),What happened/);
	await open(page, "/policies", "Policies");
	expect(await headOf(page, "Rules as CSV")).toMatch(/^Version,Group,Rule/);
	expect(await headOf(page, "Versions as CSV")).toMatch(/^Version,In force/);
	expect(await headOf(page, "Budgets as CSV")).toMatch(/^Budget,Holds,Period/);
	await open(page, "/approvals", "Approvals");
	await expect(page.getByRole("button", { name: "Jobs that ask as CSV" })).toBeVisible();
});

test("Capacity names every region of an account, and whether it answers", async ({ page }) => {
	await open(page, "/sites", "Capacity");
	await expect(page.getByRole("list", { name: "Regions of AWS, emulated" }).getByRole("listitem")).toHaveText(
		["us-east-1", "us-east-2", "us-west-2", "eu-west-1", "eu-central-1"].map((region) => new RegExp(`^${region}$`)),
	);
});
