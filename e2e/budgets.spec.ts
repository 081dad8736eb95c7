import { readFile } from "node:fs/promises";
import { expect, type Page } from "@playwright/test";
import { publish } from "./support/database.ts";
import { expectAccessible } from "./support/look.ts";
import { open, sessionOf, test } from "./support/people.ts";
import { rest } from "./support/rest.ts";

let original = "";

test.use({ person: "finance" });
test.beforeAll(async () => {
	original = (await rest.policy()).source;
});
test.afterAll(async () => {
	if (original && (await rest.policy()).source !== original) await publish(original, "Put back after the test of the Budgets screen");
});

async function askForCap(page: Page, dollars: string, button: "Change cap" | "Propose change"): Promise<void> {
	await page.getByRole("button", { name: "Change cap" }).click();
	const dialog = page.getByRole("dialog", { name: "Change the cap of cloud-month" });
	await dialog.getByLabel("New cap ($)").fill(dollars);
	await dialog.getByLabel("Reason").fill("Two more teams");
	await expectAccessible(page);
	await dialog.getByRole("button", { name: button }).click();
	await expect(dialog).toBeHidden();
}

test("finance changes a cap; it takes effect immediately, and the policy keeps its comments", async ({ page }) => {
	await open(page, "/budgets", "Budgets");
	await expect(page.getByRole("table", { name: "Budgets" })).toContainText("cloud-month");
	await askForCap(page, "612.50", "Change cap");
	await expect(page.getByRole("row", { name: /cloud-month/ }).first()).toContainText("$613");
	const { source, message } = await rest.policy();
	expect(source).toBe(original.replace(/capUsd: \d+(\.\d+)?/, "capUsd: 612.5"));
	expect(message).toBe("Two more teams");
	const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Budgets as CSV" }).click()]);
	expect(await readFile(await file.path(), "utf8")).toMatch(/^Budget,Scope,Period,.*\r\ncloud-month,everybody,month,.*,612\.500000,/);
});

test("finance adds a budget; the policy keeps everything before it", async ({ page }) => {
	const { source: before } = await rest.policy();
	await open(page, "/budgets", "Budgets");
	await page.getByRole("button", { name: "Add budget" }).click();
	const dialog = page.getByRole("dialog", { name: "Add budget" });
	await dialog.getByLabel("Name").fill("cloud-month");
	await dialog.getByLabel("Period").selectOption("quarter");
	await dialog.getByLabel("Cap ($)").fill("1500");
	await dialog.getByLabel("Reason").fill("One for the quarter");
	await dialog.getByRole("button", { name: "Add budget" }).click();
	await expect(dialog.getByRole("alert")).toContainText('already has a budget "cloud-month"');
	await expectAccessible(page);
	await dialog.getByLabel("Name").fill("cloud-quarter");
	await dialog.getByRole("button", { name: "Add budget" }).click();
	await expect(dialog).toBeHidden();
	await expect(page.getByRole("row", { name: /cloud-quarter/ })).toContainText("$1,500");
	const { source } = await rest.policy();
	expect(source).toContain("id: cloud-quarter");
	for (const line of before.split("\n")) expect(source).toContain(line);
});

test("with a second person a change waits for theirs, and so does doing without one", async ({ page, browser }) => {
	await open(page, "/budgets", "Budgets");
	await page.getByRole("button", { name: "Alert settings" }).click();
	const settings = page.getByRole("dialog", { name: "Alert settings" });
	await settings.getByLabel("Require a second approver for caps").check();
	await settings.getByRole("button", { name: "Save" }).click();
	await expect(settings).toBeHidden();
	await askForCap(page, "700", "Propose change");
	await expect(page.getByText("needs someone else")).toBeVisible();

	const other = await browser.newContext({ storageState: await sessionOf("platform") });
	const second = await other.newPage();
	await open(second, "/budgets", "Budgets");
	await second.getByRole("button", { name: "Approve" }).click();
	await expect(second.getByText("approved").first()).toBeVisible();
	await expect(second.getByRole("row", { name: /cloud-month/ }).first()).toContainText("$700");
	await second.getByRole("button", { name: "Alert settings" }).click();
	const off = second.getByRole("dialog", { name: "Alert settings" });
	await off.getByLabel("Require a second approver for caps").uncheck();
	await off.getByRole("button", { name: "Save" }).click();
	await expect(off).toBeHidden();
	await other.close();

	await open(page, "/approvals", "Approvals");
	const asked = page.locator("#proposals").getByRole("listitem").filter({ hasText: "Second approver for caps: off" });
	await expectAccessible(page);
	await asked.getByRole("button", { name: "Approve" }).click();
	await expect(asked).toHaveCount(0);
	await open(page, "/budgets", "Budgets");
	await page.getByRole("button", { name: "Alert settings" }).click();
	await expect(page.getByLabel("Require a second approver for caps")).not.toBeChecked();
});

test("a channel is added, tested and removed, and its log says how that went", async ({ page }) => {
	await open(page, "/budgets", "Budgets");
	await page.getByRole("button", { name: "Add channel" }).click();
	const dialog = page.getByRole("dialog", { name: "Add channel" });
	await dialog.getByText("Slack-compatible").click();
	await dialog.getByLabel("Name", { exact: true }).fill("room of this test");
	// No one listens there; the test only checks that the log says so.
	await dialog.getByLabel("Webhook URL").fill("http://127.0.0.1:9/hook");
	await expectAccessible(page);
	await dialog.getByRole("button", { name: "Add" }).click();
	await expect(dialog).toBeHidden();
	await page.getByRole("button", { name: "Send test to room of this test" }).click();
	await expect(page.getByRole("table", { name: "Delivery log" })).toContainText("is not a public address");
	await expectAccessible(page);
	await page.getByRole("button", { name: "Remove room of this test" }).click();
	await page.getByRole("dialog", { name: "Remove room of this test?" }).getByRole("button", { name: "Remove" }).click();
	await expect(page.getByRole("button", { name: "Send test to room of this test" })).toHaveCount(0);
});

test.describe("a data scientist", () => {
	test.use({ person: "scientist" });
	test("sees the budgets, and neither changes them nor sees channels", async ({ page }) => {
		await open(page, "/budgets", "Budgets");
		await expect(page.getByRole("table", { name: "Budgets" })).toBeVisible();
		await expect(page.getByRole("button", { name: "Change cap" })).toHaveCount(0);
		await expect(page.getByRole("heading", { name: "Channels" })).toHaveCount(0);
	});
});
