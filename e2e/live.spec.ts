import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { expect } from "@playwright/test";
import { open, test } from "./support/people.ts";
import { aJob, makeQuiet, rest } from "./support/rest.ts";

test.beforeAll(makeQuiet);

test("a job that REST submitted appears in the list and changes its state there, without a reload", async ({ page }, testInfo) => {
	await open(page, "/jobs", "Jobs");
	await expect(page.getByRole("status").filter({ hasText: "Live" })).toBeVisible();
	await page.evaluate(() => document.body.setAttribute("data-same-document", "yes"));

	const name = `live-${randomUUID().slice(0, 8)}`;
	const endFile = testInfo.outputPath("end");
	const row = page.getByRole("row").filter({ has: page.getByRole("link", { name }) });
	await expect(row).toHaveCount(0);
	await rest.submit(aJob({ name, command: ["sh", "-c", 'until test -e "$0"; do sleep 0.1; done', endFile] }));
	await expect(row).toContainText("running");

	writeFileSync(endFile, "");
	await expect(row).toContainText("succeeded");
	await expect(page.locator("body")).toHaveAttribute("data-same-document", "yes");
});
