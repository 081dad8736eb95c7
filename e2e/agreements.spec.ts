import { expect, type Page } from "@playwright/test";
import { sql } from "drizzle-orm";
import { asInstallation } from "./support/database.ts";
import { expectAccessible } from "./support/look.ts";
import { open, test } from "./support/people.ts";

test.use({ person: "finance" });

async function fill(page: Page, boxes: Record<string, string>): Promise<void> {
	for (const [label, text] of Object.entries(boxes)) await page.getByRole("dialog").getByLabel(label, { exact: true }).fill(text);
}

test("finance adds an agreed discount, changes it and removes it; offers have it at once", async ({ page }) => {
	await open(page, "/settings/agreements", "Discounts and commitments");
	await page.getByRole("button", { name: "Add discount" }).press("Enter");
	const dialog = page.getByRole("dialog", { name: "Add discount" });
	await expect(dialog.getByRole("button", { name: "Save" })).toBeDisabled();
	await fill(page, {
		Name: "edp-e2e",
		"Discount (%)": "12.5",
		From: "2026-01-01",
		Source: "EDP of 2026-01, annex 2",
	});
	await expectAccessible(page);
	await dialog.getByRole("button", { name: "Save" }).press("Enter");
	await expect(dialog).toBeHidden();
	const line = page.getByRole("list", { name: "Discounts" }).getByRole("listitem").filter({ hasText: "edp-e2e" });
	await expect(line).toContainText("12.5% off on-demand");
	await expect(line).toContainText(/; [1-9]\d* matching offers?\./);
	await page.screenshot({ path: test.info().outputPath("agreements.png"), fullPage: true });

	await line.getByRole("button", { name: "Edit edp-e2e" }).press("Enter");
	await fill(page, { "Discount (%)": "20", To: "2026-02-01" });
	await page.getByRole("dialog").getByRole("button", { name: "Save" }).press("Enter");
	await expect(line).toContainText("20% off on-demand");
	await expect(line).toContainText("; 0 matching offers.");
	await expectAccessible(page);

	await line.getByRole("button", { name: "Remove edp-e2e" }).press("Enter");
	await page.getByRole("dialog").getByRole("button", { name: "Remove" }).press("Enter");
	await expect(page.getByText("No discounts")).toBeVisible();
});

test("what is bought ahead is added and removed", async ({ page }) => {
	await open(page, "/settings/agreements", "Discounts and commitments");
	const add = async (name: string) => {
		await page.getByRole("button", { name: "Add commitment" }).click();
		await fill(page, { Name: name, Machines: "2", "Instance type": "p5.48xlarge", Accelerator: "H100-80GB", Region: "us-east-1" });
		await fill(page, { "Hourly ($)": "31.50", From: "2026-11-01", To: "2026-12-01" });
	};
	await add("block-e2e");
	await expectAccessible(page);
	await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
	const lines = page.getByRole("list", { name: "Reserved and committed" });
	await expect(lines).toContainText("2 × p5.48xlarge");
	await expect(lines).toContainText("$31.50 per hour");

	await lines.getByRole("button", { name: "Remove block-e2e" }).click();
	await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
	await expect(page.getByText("No commitments")).toBeVisible();
});

test("a list that cannot be read says so in its place, beside the other one, and comes back", async ({ page }) => {
	const broken = sql`insert into setting (key, value) values ('discounts', '"not a list"') on conflict (key) do update set value = excluded.value`;
	await asInstallation(({ db }) => db.execute(broken));
	try {
		await open(page, "/settings/agreements", "Discounts and commitments");
		const alert = page.getByRole("main").getByRole("alert");
		await expect(alert).toContainText("Could not load discounts");
		await expect(alert).toContainText(/Request\s*[0-9a-f]{8}/);
		await expect(page.getByRole("button", { name: "Add commitment" })).toBeVisible();
		await expectAccessible(page);
		await page.screenshot({ path: test.info().outputPath("agreements-failed.png"), fullPage: true });
	} finally {
		await asInstallation(({ db }) => db.execute(sql`delete from setting where key = 'discounts'`));
	}
	await page.getByRole("button", { name: "Try again" }).press("Enter");
	await expect(page.getByText("No discounts")).toBeVisible();
});

test("list prices are imported from a file, and an implausible one is refused with its line", async ({ page }) => {
	await open(page, "/settings/agreements", "Discounts and commitments");
	await expect(page.getByText("No imported prices")).toBeVisible();
	await page.getByRole("button", { name: "Import prices" }).press("Enter");
	const dialog = page.getByRole("dialog", { name: "Import list prices" });
	await dialog.getByRole("button", { name: "Import" }).press("Enter");
	await expect(dialog).toContainText("Choose a CSV file.");
	const choose = (usd: string) =>
		dialog.getByLabel("File").setInputFiles({
			...{ name: "prices.csv", mimeType: "text/csv" },
			buffer: Buffer.from(
				`provider,instance_type,region,capacity_type,usd_per_hour,as_of\naws,p5.48xlarge,us-east-1,on_demand,${usd},2026-11-25\n`,
			),
		});
	await choose("0.55");
	await dialog.getByLabel("Source").fill("AWS price list");
	await dialog.getByRole("button", { name: "Import" }).press("Enter");
	await expect(dialog).toContainText("line 2: a price was refused: $0.55 is below a fifth");
	await expectAccessible(page);
	await choose("55.04");
	await dialog.getByRole("button", { name: "Import" }).press("Enter");
	await expect(dialog).toBeHidden();
	await expect(page.getByRole("table", { name: "Imported list prices" })).toContainText("AWS price list");
	await expectAccessible(page);
});
