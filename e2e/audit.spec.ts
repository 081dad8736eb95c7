import { expect } from "@playwright/test";
import { expectAccessible, expectWholeInEachLook } from "./support/look.ts";
import { open, test } from "./support/people.ts";
import { aJob, rest } from "./support/rest.ts";
import { spillway } from "./support/system.ts";

test("a change is on record with before and after, under its seal, in each look", async ({ page }) => {
	const id = await rest.submit(aJob({ name: "to-be-audited", command: ["sleep", "60"] }));
	expect((await spillway("cancel", id)).exitCode).toBe(0);
	await open(page, `/audit?q=${id}&action=job.cancel`, "Audit");
	const table = page.getByRole("table", { name: "Audit entries" });
	await table.getByRole("button", { name: "job.cancel" }).click();
	await expectWholeInEachLook(page, async () => {
		await expect(page.getByRole("list", { name: "Before and after" })).toContainText("state");
		// Appears by itself once the sealer has run.
		await expect(page.getByText(/^Verified: /)).toBeVisible();
	});
	await page.getByRole("button", { name: "Clear filters" }).click();
	await expect(page).toHaveURL(/\/audit$/);
});

test("nothing found can be cleared; the file has what is shown", async ({ page, request }) => {
	await open(page, "/audit?q=there-is-no-such-thing", "Audit");
	await expect(page.getByText("No lines match these filters")).toBeVisible();
	await expectAccessible(page);
	const file = await request.get("/api/exports/audit?format=ndjson&action=policy");
	expect([file.status(), file.headers()["content-disposition"]]).toEqual([200, expect.stringContaining(".ndjson")]);
	expect(await file.text()).toContain('"policy.publish"');
});

test("a read that fails says what, and tries again", async ({ page }) => {
	await open(page, "/audit", "Audit");
	await expect(page.getByRole("table", { name: "Audit entries" })).toBeVisible();
	// The real server responds with an error, because the request is modified on the way.
	await page.route(/\/api\/trpc\/.*audit\.list/, (route) => {
		const url = new URL(route.request().url());
		url.searchParams.set("input", url.searchParams.get("input")?.replaceAll('"limit":', '"limit":-') ?? "");
		return route.continue({ url: url.href });
	});
	await page.getByRole("searchbox").fill("job_");
	const failed = page.getByRole("main").getByRole("alert");
	await expect(failed).toContainText("Could not load the audit log");
	await expectAccessible(page);
	await page.unroute(/\/api\/trpc\/.*audit\.list/);
	await failed.getByRole("button", { name: "Try again" }).click();
	await expect(page.getByRole("table", { name: "Audit entries" })).toBeVisible();
});

test("the command line verifies the chain, and meets its own head again", async () => {
	const whole = await spillway("audit", "verify");
	expect(whole.exitCode, whole.stderr).toBe(0);
	const [, head = ""] = /head (\w{64})/.exec(whole.stdout) ?? [];
	expect((await spillway("audit", "verify", "--head", head)).exitCode).toBe(0);
});

test.describe("a data scientist", () => {
	test.use({ person: "scientist" });
	test("sees no part of it", async ({ page }) => {
		await open(page, "/audit", "Audit");
		await expect(page.getByText("Access denied").first()).toBeVisible();
		await expectAccessible(page);
	});
});
