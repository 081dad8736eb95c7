import { randomUUID } from "node:crypto";
import { expect, type Page } from "@playwright/test";
import { open, test } from "./support/people.ts";
import { rest } from "./support/rest.ts";

test("filters without matches can be cleared", async ({ page }) => {
	await open(page, "/jobs?view=all&q=no-job-is-called-this", "Jobs");
	await expect(page.getByRole("heading", { name: "No jobs match these filters" })).toBeVisible();
	await page.getByRole("button", { name: "Clear filters" }).click();
	await expect(page.getByRole("grid", { name: "Jobs" })).toBeVisible();
	await expect(page).toHaveURL(/\/jobs\?view=all$/);
});

test("a search says how many matches the view hides", async ({ page }) => {
	const [job] = await rest.jobs("state=succeeded&limit=1");
	await open(page, `/jobs?view=cloud&q=${job?.name}`, "Jobs");
	await page.getByRole("link", { name: /more in All jobs$/ }).click();
	await expect(page).toHaveURL(/view=all/);
	await expect(
		page
			.getByRole("grid", { name: "Jobs" })
			.getByRole("link", { name: job?.name ?? "" })
			.first(),
	).toBeVisible();
});

test("a view is saved, opened, changed and deleted", async ({ page }) => {
	const name = `Done ${randomUUID().slice(0, 8)}`;
	const choose = async (action: string | RegExp) => {
		await page.getByRole("button", { name: "View actions" }).click();
		await page.getByRole("menuitem", { name: action }).click();
	};
	await open(page, "/jobs?view=all&state=succeeded", "Jobs");
	await choose("Save as new view");
	await page.getByLabel("Name", { exact: true }).fill(name);
	await page.keyboard.press("Enter");
	const tab = page.getByRole("navigation", { name: "Views" }).getByRole("link", { name });
	await expect(tab).toHaveAttribute("aria-current", "page");
	await page.getByRole("button", { name: "Clear filter State" }).click();
	await choose(`Update ${name}`);
	await expect(page.getByText(`${name} updated`)).toBeVisible();
	await open(page, "/jobs", "Jobs");
	await tab.click();
	await expect(page).toHaveURL(/view=all&saved=/);
	await choose("Delete view");
	await page.getByRole("dialog").getByRole("button", { name: "Delete view" }).click();
	await expect(tab).toHaveCount(0);
	await expect(page).toHaveURL(/\/jobs\?view=all$/);
});

test("an empty view explains what appears there", async ({ page }) => {
	await open(page, "/jobs?view=cloud", "Jobs");
	await expect(page.getByRole("heading", { name: "No jobs in the cloud" })).toBeVisible();
});

test("an unknown job and an unknown address show Not found", async ({ page }) => {
	await page.goto("/jobs/job_00000000000000000000000000");
	await expect(page.getByRole("main")).toContainText(/not found|There is no job/i);
	await page.goto("/no-such-screen");
	await expect(page.getByRole("heading", { name: /Not found/ })).toBeVisible();
});

test("a panel that cannot be read shows the cause and request ID, and can retry", async ({ page }) => {
	await open(page, "/jobs?view=all", "Jobs");
	await expect(page.getByRole("grid", { name: "Jobs" })).toBeVisible();
	// Changes the request on its way, so that the real server rejects it.
	await page.route(/\/api\/trpc\/.*job\.list/, (route) => {
		const url = new URL(route.request().url());
		url.searchParams.set("input", url.searchParams.get("input")?.replaceAll('"limit":100', '"limit":-1') ?? "");
		return route.continue({ url: url.href });
	});
	await page.getByRole("button", { name: "Class", exact: true }).click();
	await page.getByRole("menuitemcheckbox", { name: /^burst( \d|$)/ }).click();
	const alert = page.getByRole("main").getByRole("alert");
	await expect(alert).toContainText("Could not load jobs");
	await expect(alert).toContainText(/Request\s*[0-9a-f]{8}/);

	await page.unroute(/\/api\/trpc\/.*job\.list/);
	await alert.getByRole("button", { name: "Try again" }).click();
	await expect(page.getByRole("grid", { name: "Jobs" })).toBeVisible();
	await expect(alert).toHaveCount(0);
});

test("the keyboard reaches screens, search, shortcuts and the command palette", async ({ page }) => {
	await open(page, "/", "Overview");
	await page.keyboard.press("g");
	await page.keyboard.press("j");
	await expect(page.getByRole("heading", { level: 1, name: "Jobs" })).toBeVisible();
	await expect(page.getByRole("grid", { name: "Jobs" }).or(page.getByRole("heading", { name: /^No jobs/ }))).toBeVisible();
	await page.keyboard.press("/");
	await expect(page.getByRole("searchbox", { name: "Name or ID" })).toBeFocused();
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

	// Enter pressed before the results arrive runs the best of them.
	const name = await page.getByRole("heading", { level: 1 }).textContent();
	await page.keyboard.press("Control+k");
	await page.keyboard.type(`why is ${name} waiting`);
	await page.keyboard.press("Enter");
	await expect(page).toHaveURL(/\/jobs\/job_\w+\/decision/);

	await page.keyboard.press("Control+k");
	await page.keyboard.type("research spend last month");
	await expect(palette.getByRole("option").first()).toContainText("Spend: research");
	await page.keyboard.press("Enter");
	await expect(page).toHaveURL(/\/spend\?.*team=research/);
});

/** The header of the CSV file that a button downloads, pressed by keyboard. */
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

test("tables of Overview and Policies export as CSV", async ({ page }) => {
	await open(page, "/?range=7d", "Overview");
	expect(await headOf(page, "GPU demand as CSV")).toMatch(/^From \(UTC\),To \(UTC\),GPUs requested,Owned GPUs,local owned/);
	expect(await headOf(page, "Recent activity as CSV")).toMatch(/^Time \(UTC\),Event/);
	await open(page, "/policies", "Policies");
	expect(await headOf(page, "Rules as CSV")).toMatch(/^Version,Group,Rule/);
	expect(await headOf(page, "Versions as CSV")).toMatch(/^Version,Active/);
	expect(await headOf(page, "Budgets as CSV")).toMatch(/^Budget,Scope,Period/);
	await open(page, "/approvals", "Approvals");
	await expect(page.getByRole("button", { name: "Approvals as CSV" })).toBeVisible();
});

test("Capacity lists every region of an account and its health", async ({ page }) => {
	await open(page, "/sites", "Capacity");
	await expect(page.getByRole("list", { name: "Regions of AWS, emulated" }).getByRole("listitem")).toHaveText(
		["us-east-1", "us-east-2", "us-west-2", "eu-west-1", "eu-central-1"].map((region) => new RegExp(`^${region}$`)),
	);
});
