import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { open, test } from "./support/people.ts";

const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"];
const SECRET = "a-secret-that-nobody-sees-again";

test.use({ person: "platform" });

async function expectAccessible(page: Page): Promise<void> {
	const { violations } = await new AxeBuilder({ page }).withTags(WCAG).analyze();
	expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.target.join(" ")).join(", ")}`)).toEqual([]);
}

test("a cloud account is added by keyboard, checked step by step before it is stored, disabled and removed", async ({ page }) => {
	await open(page, "/settings/sites", "Sites");
	await page.getByRole("link", { name: "Add a site" }).press("Enter");
	await expect(page.getByRole("heading", { level: 1, name: "Add a site" })).toBeVisible();
	await expectAccessible(page);
	await page.getByLabel("Id", { exact: true }).fill("aws-second");
	await page.getByLabel("Name", { exact: true }).fill("A second account");
	await page.getByLabel("Regions").fill("us-east-1\nuseast2");
	await page.getByLabel("Machine image").fill("ami-0123456789abcdef0");
	await page.getByLabel("Access key id").fill("AKIAEMULATED");
	await page.getByLabel("Secret access key").fill(SECRET);
	await page.getByRole("button", { name: "Check" }).press("Enter");
	await expect(page.getByText("1: a region is written like us-east-1")).toBeVisible();
	await page.getByLabel("Regions").fill("us-east-1");
	await page.getByRole("button", { name: "Check" }).press("Enter");
	const steps = page.getByRole("list", { name: "Steps of the check" });
	await expect(steps).toContainText("Rights to buy passed");
	await expect(page.getByText("Nothing stands in the way.")).toBeVisible();
	await expectAccessible(page);
	await page.getByRole("button", { name: "Add the site" }).press("Enter");
	const line = page.getByRole("listitem").filter({ hasText: "aws-second, aws" });
	await expect(line).toContainText("Credentials stored, encrypted");
	await expect(line).toContainText("answers");
	await expectAccessible(page);
	await line.getByRole("link", { name: "Change or check A second account" }).press("Enter");
	await expect(page.getByLabel("Regions")).toHaveValue("us-east-1");
	expect(await page.content()).not.toContain(SECRET);
	await page.getByRole("button", { name: "Check" }).press("Enter");
	await expect(page.getByText("Nothing stands in the way.")).toBeVisible();
	await open(page, "/settings/sites", "Sites");
	await line.getByRole("button", { name: "Remove A second account" }).press("Enter");
	await page.getByRole("dialog").getByRole("button", { name: "Remove it" }).press("Enter");
	await expect(page.getByText("it is enabled")).toBeVisible();
	await page.keyboard.press("Escape");
	await line.getByRole("button", { name: "Disable A second account" }).press("Enter");
	await page.getByRole("dialog").getByRole("button", { name: "Disable it" }).press("Enter");
	await expect(line).toContainText("disabled");
	await line.getByRole("button", { name: "Remove A second account" }).press("Enter");
	await page.getByRole("dialog").getByRole("button", { name: "Remove it" }).press("Enter");
	await expect(line).toBeHidden();
});

test.describe("others", () => {
	test.use({ person: "finance" });
	test("finance is told who may look after sites", async ({ page }) => {
		await open(page, "/settings/sites", "Sites");
		await expect(page.getByText("Your role (finance) does not allow site:manage.")).toBeVisible();
	});
});
