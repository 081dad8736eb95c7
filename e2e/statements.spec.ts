import { expect } from "@playwright/test";
import { expectAccessible } from "./support/look.ts";
import { open, test } from "./support/people.ts";
import { API_URL, spillway, token } from "./support/system.ts";

interface Month {
	month: string;
	state: string;
}

async function months(): Promise<Month[]> {
	const answer = await fetch(`${API_URL}/statements`, { headers: { authorization: `Bearer ${token()}` } });
	return ((await answer.json()) as { items: Month[] }).items;
}

/** The demo's simulated history has past months. Only this test closes the oldest one. */
test.describe("finance", () => {
	test.use({ person: "finance" });

	test("closes a month and signs its statement", async ({ page }) => {
		const over = (await months()).filter((m) => m.state !== "open").at(-1);
		expect(over, "a past month").toBeDefined();
		const month = over?.month ?? "";
		await open(page, "/statements", "Statements");
		await expect(page.getByRole("table", { name: "Statements by month" })).toBeVisible();
		await expectAccessible(page);
		await page.locator(`a[href^="/statements/${month}"]`).click();
		const paper = page.getByRole("article", { name: /^Statement of compute cost, The company/ });
		await expect(paper.getByRole("table", { name: "Owned and cloud" })).toBeVisible();
		if (over?.state === "to_close") {
			await expect(paper.getByText(/^Preview: month not closed yet/)).toBeVisible();
			await page.getByRole("button", { name: "Close month" }).click();
			await expectAccessible(page);
			await page.getByRole("dialog").getByRole("button", { name: "Close month" }).click();
		}
		await expect(paper.getByText(/^sha256 [0-9a-f]{64}$/)).toBeVisible();
		await page.getByRole("button", { name: "Sign", exact: true }).click();
		const dialog = page.getByRole("dialog");
		await expect(dialog.getByRole("button", { name: /^Sign version/ })).toBeDisabled();
		await dialog.getByLabel("I have read this statement and accept it.").check();
		await dialog.getByRole("button", { name: /^Sign version/ }).click();
		// The name is also on the paper of a closed month, so the state shows that the signature arrived.
		await expect.poll(async () => (await months()).find((m) => m.month === month)?.state).toBe("signed");
		await expect(paper.getByText("Finn Finance").last()).toBeVisible();
		await expectAccessible(page);
	});

	test("imports a bill by its file: columns, differences, then the posting", async ({ page }) => {
		const month = (await months()).find((m) => m.state !== "open")?.month ?? "";
		const head =
			"BilledCost,BillingCurrency,BillingPeriodStart,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,ContractedCost,EffectiveCost";
		const day = `${month}-10T00:00:00Z,${month}-10T01:00:00Z`;
		const line = `-10,USD,${month}-01T00:00:00Z,Credit,${day},-10,-10,-10,AWS,NULL,promotion`;
		const file = (text: string) => ({ name: "aws.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
		await open(page, "/statements", "Statements");
		await page.getByLabel("Import bill").setInputFiles(file(`${head},ListCost\n1`));
		const dialog = page.getByRole("dialog", { name: "Import aws.csv" });
		await expect(dialog.getByRole("alert")).toContainText("ProviderName");
		await expect(dialog.getByRole("button", { name: "Import and post" })).toBeDisabled();
		await dialog.getByRole("button", { name: "Cancel" }).click();

		await page.getByLabel("Import bill").setInputFiles(file(`${head},ListCost,ProviderName,ResourceId,x_note\n${line}`));
		await expect(dialog).toContainText("11 recognized as FOCUS 1.0, 1 more kept unread");
		await expect(dialog.getByRole("region")).toContainText("AWS, credits and taxes: −$10.00");
		await expectAccessible(page);
		await dialog.getByRole("button", { name: "Import and post" }).click();
		await expect(page.getByText("aws.csv imported")).toBeVisible();
		await expect(dialog).toBeHidden();
		await open(page, `/statements/${month}/bills`, "Bills");
		await expect(page.getByText("−$10.00").first()).toBeVisible();
	});

	test("downloads the statement as PDF, and as CSV by the CLI", async ({ page, request }) => {
		const closed = (await months()).find((m) => m.state === "signed" || m.state === "closed");
		const month = closed?.month ?? "";
		await open(page, `/statements/${month}`, /20\d\d/);
		const href = await page.getByRole("link", { name: "PDF", exact: true }).getAttribute("href");
		const pdf = await request.get(href ?? "");
		expect([pdf.status(), pdf.headers()["content-type"]]).toEqual([200, "application/pdf"]);
		expect((await pdf.body()).subarray(0, 5).toString()).toBe("%PDF-");
		const table = await spillway("statement", month, "--csv", "-");
		expect(table.exitCode, table.stderr).toBe(0);
		expect(table.stdout).toContain(`statement,month,,,,,,,,,${month}`);
	});

	test("prints the statement without the console around it", async ({ page }) => {
		const [first] = await months();
		await open(page, `/statements/${first?.month}`, /20\d\d/);
		await expect(page.getByRole("article")).toBeVisible();
		await page.emulateMedia({ media: "print", colorScheme: "dark" });
		await expect(page.getByRole("navigation", { name: "Screens" }).first()).toBeHidden();
		await expect(page.getByRole("complementary", { name: "About this statement" })).toBeHidden();
		await expect(page.getByRole("button", { name: "Print" })).toBeHidden();
		const ink = await page.getByRole("article").evaluate((el) => getComputedStyle(el).backgroundColor);
		expect(ink).toMatch(/oklch\(1 0 0\)|lab\(100 0 0\)|rgb\(255, 255, 255\)/);
	});
});

test.describe("a data scientist", () => {
	test.use({ person: "scientist" });

	test("sees only the statements of their teams, and cannot close or sign them", async ({ page, request }) => {
		const [first] = await months();
		const month = first?.month ?? "";
		await open(page, "/statements", "Statements");
		await expect(page.getByRole("table", { name: "Statements by month" })).toBeVisible();
		await open(page, `/statements/${month}?team=research`, /20\d\d/);
		await expect(page.getByRole("article", { name: /Team research/ })).toBeVisible();
		await expect(page.getByRole("button", { name: /^(Sign|Close)/ })).toHaveCount(0);
		await page.goto(`/statements/${month}`);
		await expect(page.getByText("Access denied")).toBeVisible();
		expect((await request.get(`/api/statements/${month}?format=pdf`)).status()).toBe(403);
	});
});
