import { expect } from "@playwright/test";
import { publish } from "./support/database.ts";
import { expectAccessible, expectNoSidewaysScroll } from "./support/look.ts";
import { open, sessionOf, test } from "./support/people.ts";
import { aJob, jobWhen, makeQuiet, rest } from "./support/rest.ts";

const PHONE = { width: 390, height: 844 };
/** Home has four slots; each of these jobs holds one of them for the whole test. */
const AT_HOME = ["asks-home-1", "asks-home-2", "asks-home-3", "asks-home-4"];
let original = "";

test.beforeAll(async () => {
	await makeQuiet();
	original = (await rest.policy()).source;
	// Finance approves, because the calls of these tests are the platform engineer's, who cannot approve their own job.
	await publish(
		original.replace(/^ {2}rules:\n/m, "  rules:\n    - { id: ask-finance, require: { approval: finance } }\n"),
		"Ask finance first",
	);
	await rest.submitAll(AT_HOME.map((name) => aJob({ name, command: ["sleep", "240"], estimate: "8m" })));
	for (const job of await rest.jobs("state=queued,admitted,running&limit=20")) {
		if (AT_HOME.includes(job.name)) await jobWhen(job.id, "is placed at home", (j) => j.placement?.capacityType === "owned");
	}
});
test.afterAll(async () => {
	if (original && (await rest.policy()).source !== original) await publish(original, "Put back after the test of approvals");
	await makeQuiet();
});

test("a job asks for approval, a second person approves on a phone, and the job bursts", async ({ page, browser }) => {
	const id = await rest.submit(aJob({ name: "asks-first", estimate: "60s" }));
	const held = await jobWhen(id, "is held for an approval", (job) => job.reason.code === "approval_required");
	expect(held.state).toBe("held");

	await test.step("the submitter sees who can approve, and cannot decide", async () => {
		await open(page, `/jobs/${id}`, /asks-first/);
		await expect(page.getByText(/can (say yes|approve)|^Approver/)).toBeVisible();
		await expectAccessible(page);
		await page.getByRole("link", { name: "Show request" }).click();
		await expect(page.getByText("You submitted this job, so someone else must decide.")).toBeVisible();
		await expectAccessible(page);
	});

	const phone = await browser.newContext({ storageState: await sessionOf("finance"), viewport: PHONE, hasTouch: true });
	const second = await phone.newPage();
	await test.step("the approver reads quote and budget on a phone, and approves", async () => {
		await open(second, "/approvals", "Approvals");
		await expectAccessible(second);
		await second.getByRole("link", { name: /asks-first/ }).click();
		await expect(second.getByText("Expected cost", { exact: true })).toBeVisible();
		await expect(second.getByText(/^Free in /)).toBeVisible();
		await expectNoSidewaysScroll(second);
		await expectAccessible(second);
		await second.getByLabel("Reason (optional)").fill("quarter end");
		await second.getByLabel("Limit ($, optional)").fill("50");
		await second.getByRole("button", { name: "Approve up to $50" }).click();
		await expect(second.getByText("Approved up to $50.00")).toBeVisible();
	});

	const gone = await jobWhen(id, "is placed in a cloud", (job) => job.placement !== null && job.placement.capacityType !== "owned");
	expect(gone.placement?.provider).not.toBe("local");
	await test.step("the decision is kept", async () => {
		await open(second, "/approvals?view=past", "Approvals");
		await expect(second.getByRole("link", { name: /asks-first/ }).first()).toContainText("approved");
		await expectAccessible(second);
	});
	await phone.close();
});

test("a rejection keeps the job on owned GPUs, and its page offers a new request", async ({ page, browser }) => {
	const id = await rest.submit(aJob({ name: "asks-in-vain" }));
	await jobWhen(id, "is held for an approval", (job) => job.reason.code === "approval_required");
	const other = await browser.newContext({ storageState: await sessionOf("finance") });
	const second = await other.newPage();
	await open(second, "/approvals", "Approvals");
	await second.getByRole("link", { name: /asks-in-vain/ }).click();
	await second.getByRole("form", { name: "Decision" }).getByRole("button", { name: "Reject" }).click();
	await expect(second.getByText(/^Rejected by/)).toBeVisible();
	await other.close();
	await jobWhen(id, "waits at home", (job) => job.reason.code === "waiting_not_approved");
	await open(page, `/jobs/${id}`, /asks-in-vain/);
	await expect(page.getByRole("button", { name: "Request again" })).toBeVisible();
	await rest.cancel(id);
});

test("nothing waits, and an approval that is not there: each says so", async ({ page }) => {
	await open(page, "/approvals", "Approvals");
	await expect(page.getByRole("heading", { name: "No pending approvals" })).toBeVisible();
	await expectAccessible(page);
	await open(page, "/approvals?approval=apr_none", "Approvals");
	await expect(page.getByRole("heading", { name: "Not found" })).toBeVisible();
	await expect(page.getByText("There is no approval apr_none.")).toBeVisible();
	await expectAccessible(page);
	await page.setViewportSize(PHONE);
	await expect(page.getByRole("heading", { name: "Approvals", level: 2, exact: true })).toBeVisible();
	await expect(page.getByRole("heading", { name: "No pending approvals" })).toBeVisible();
});

test.describe("a data scientist", () => {
	test.use({ person: "scientist" });
	test("sees their team's approvals, and decides none", async ({ page }) => {
		await open(page, "/approvals?view=past", "Approvals");
		await expect(page.getByRole("heading", { name: "Approvals", level: 2, exact: true })).toBeVisible();
		await expectAccessible(page);
	});
});
