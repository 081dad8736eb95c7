import { expect, type Locator, type Page } from "@playwright/test";
import { approveAsOtherPerson, publish, publishAsAnother, publishFromGit } from "./support/database.ts";
import { expectAccessible } from "./support/look.ts";
import { open, sessionOf, test } from "./support/people.ts";
import { aJob, jobWhen, makeQuiet, rest } from "./support/rest.ts";

let original = "";

test.use({ person: "platform" });
test.beforeAll(async () => {
	original = (await rest.policy()).source;
});
test.afterAll(async () => {
	if (original && (await rest.policy()).source !== original) await publish(original, "Put back after the test of the Policies screen");
});

/** The editor, with its text in it. */
async function edit(page: Page) {
	await open(page, "/policies?mode=edit", "Policies");
	const yaml = page.getByRole("textbox", { name: "Policy YAML" });
	await expect(yaml).toContainText("apiVersion");
	return yaml;
}

/** A card, opened. */
async function card(page: Page, name: string | RegExp) {
	const rules = page.getByRole("list", { name: "Rules" });
	const button = rules.getByRole("button", { name, expanded: false });
	await button.click();
	return rules.getByRole("group", { name });
}

const SLOTS = 4;
const FIRST_RULE = "sensitive-stays-home";

async function fillHome(): Promise<void> {
	const homely = Array.from({ length: SLOTS }, (_, i) =>
		aJob({ name: `at-home-${i + 1}`, class: "sensitive", command: ["sleep", "300"], estimate: "300s" }),
	);
	for (const id of await rest.submitAll(homely)) await jobWhen(id, "runs", ({ state }) => state === "running");
}

async function discard(page: Page): Promise<void> {
	await page.getByRole("button", { name: "Discard", exact: true }).click();
	await page.getByRole("dialog", { name: "Discard the draft?" }).getByRole("button", { name: "Discard" }).click();
	await expect(page.getByRole("button", { name: "Edit", exact: true })).toBeVisible();
}

/** Replays the last week under the draft; its cloud cost is shown next to that of the version in force. */
async function backtest(page: Page): Promise<void> {
	const panel = page.locator("#backtest");
	await panel.getByText("7 days").click();
	await panel.getByRole("button", { name: /^Run( again)?$/ }).click();
	await expect(panel.getByText(/^Ran .*on this draft/)).toBeVisible();
	await expect(panel.getByText("Cloud cost").first()).toBeVisible();
}

test("edit, error, fix, backtest, publish; a job changes its course; roll back", async ({ page }) => {
	await makeQuiet();
	await edit(page);
	const rule = await card(page, /^spot-for-experiments/);
	await rule.getByLabel("When").fill('job.class == "experimantal"');
	await expect(page.locator(".spw-problem")).toContainText("Did you mean experimental?");
	await expect(page.getByRole("button", { name: "Publish" })).toBeDisabled();
	await expectAccessible(page);
	await page.getByRole("button", { name: "Use experimental" }).click();
	await expect(page.locator(".spw-problem")).toHaveCount(0);

	// From now on this team's jobs stay at home, however long they wait.
	await page.getByRole("button", { name: "Add a rule or a budget" }).click();
	await page.getByRole("menuitem", { name: /Exclude candidates/ }).click();
	const added = page.getByRole("list", { name: "Rules" }).getByRole("group", { name: "stays-home" });
	await added.getByLabel("When").fill('job.team == "research"');
	await expect(page.getByRole("list", { name: "Rules" })).toContainText("research");
	await expect(page.getByText(/^Excludes [\d,]+ of [\d,]+ offers/).or(page.getByText("No effect on"))).toBeVisible();
	await backtest(page);
	await page.getByRole("button", { name: "Publish" }).click();
	const dialog = page.getByRole("dialog", { name: "Publish draft" });
	await dialog.getByLabel("Reason").fill("Research stays at home");
	await expect(dialog.getByRole("list", { name: "Changes by rule" })).toContainText("stays-home");
	await expect(dialog.getByRole("region", { name: /^Backtest .* of this draft/ })).toContainText("Cloud cost");
	await expectAccessible(page);
	await dialog.getByRole("button", { name: "Publish" }).click();
	await expect(page.getByRole("button", { name: "Edit", exact: true })).toBeVisible();

	const { source, message, version } = await rest.policy();
	expect(message).toBe("Research stays at home");
	// Unedited text is unchanged, byte for byte.
	const kept = original.split("\n");
	expect(source.split("\n").reduce((at, line) => (line === kept[at] ? at + 1 : at), 0)).toBe(kept.length);

	await fillHome();
	const stays = await rest.submit(aJob({ name: "stays-at-home" }));
	await jobWhen(
		stays,
		"is kept at home by the new rule",
		({ state, reason }) => state === "queued" && reason?.message.includes("stays-home") === true,
	);

	await page.getByRole("link", { name: `Open version ${version - 1}` }).click();
	const older = page.getByRole("dialog", { name: `Version ${version - 1}` });
	await expect(older.getByRole("list", { name: "Changes by rule" })).toContainText("stays-home");
	await older.getByRole("button", { name: "Roll back" }).click();
	await older.getByLabel("Reason").fill("Research may leave again");
	await expectAccessible(page);
	await older.getByRole("button", { name: `Activate version ${version - 1}` }).click();
	await expect(older).toBeHidden();
	expect((await rest.policy()).source).toBe(original);
	await jobWhen(stays, "is let go", ({ placement }) => placement !== null && placement.capacityType !== "owned");
	await makeQuiet();
});

test("a draft survives a closed tab, and another browser goes on with it", async ({ page, context, browser }) => {
	await edit(page);
	const rule = await card(page, /^burst-on-wait/);
	await rule.getByLabel("Forecast wait above").fill("45s");
	await page.close();
	const again = await context.newPage();
	await edit(again);
	await expect(again.getByText("Unpublished draft restored from this browser.")).toBeVisible();
	await expect(again.getByRole("textbox", { name: "Policy YAML" })).toContainText("forecastWait: 45s");
	await expect(again.getByText(/^saved at/)).toBeVisible();

	const other = await browser.newContext({ storageState: await sessionOf("platform") });
	const elsewhere = await other.newPage();
	await open(elsewhere, "/policies", "Policies");
	await elsewhere.getByRole("button", { name: "Continue draft" }).click();
	await expect(elsewhere.getByRole("textbox", { name: "Policy YAML" })).toContainText("forecastWait: 45s");
	await other.close();
	await discard(again);
	expect((await rest.policy()).source).toBe(original);
});

test("somebody publishes meanwhile: nothing is overwritten, and both are merged", async ({ page }) => {
	await edit(page);
	const rule = await card(page, /^burst-on-wait/);
	await rule.getByLabel("Forecast wait above").fill("20s");
	await publish(original.replace("instanceHours: 8", "instanceHours: 7"), "Shorter lives");
	await expect(page.getByText(/was published since this draft started/)).toBeVisible();
	await page.getByRole("button", { name: "Merge" }).click();
	const dialog = page.getByRole("dialog", { name: "Merge with the active version" });
	await expect(dialog).toContainText("No conflicts");
	await dialog.getByRole("button", { name: "Use merged draft" }).click();
	const yaml = page.getByRole("textbox", { name: "Policy YAML" });
	await expect(yaml).toContainText("instanceHours: 7");
	await expect(yaml).toContainText("forecastWait: 20s");
	await discard(page);
	await publish(original, "Put back");
});

test("both changed the same rule: one side is picked, by mouse or keyboard", async ({ page }) => {
	await edit(page);
	const rule = await card(page, /^burst-on-wait/);
	await rule.getByLabel("Forecast wait above").fill("20s");
	await publish(original.replace(/forecastWait: \w+/, "forecastWait: 45s"), "Wait longer before bursting");
	await page.getByRole("button", { name: "Merge" }).click();
	const dialog = page.getByRole("dialog", { name: "Merge with the active version" });
	const sides = dialog.getByRole("group", { name: /burst-on-wait was changed here.*Keep which version/ });
	await expect(sides.locator("mark")).toContainText(["forecastWait: 20s", "forecastWait: 45s"]);
	const goOn = dialog.getByRole("button", { name: "Use merged draft" });
	await expect(goOn).toBeDisabled();
	await expectAccessible(page);
	await sides.getByRole("radio", { name: /Keep yours/ }).focus();
	await page.keyboard.press("ArrowDown");
	await expect(sides.getByRole("radio", { name: /Keep the active version/ })).toBeChecked();
	await goOn.click();
	await expect(page.getByRole("textbox", { name: "Policy YAML" })).toContainText("forecastWait: 45s");
	// The text in force was kept, so there is no draft to discard.
	await publish(original, "Put back");
});

test("the server cannot be reached: the text stays, each panel says so, and it goes on by itself", async ({ page }) => {
	const yaml = await edit(page);
	await page.route(/\/api\/trpc\//, (route) => route.abort());
	await yaml.focus();
	await page.keyboard.press("ControlOrMeta+End");
	await page.keyboard.type("# written while no one answered");
	await expect(page.getByText(/Could not validate the draft: The server is unreachable/)).toBeVisible();
	await expect(page.getByText(/Saved in this browser only; the server rejected it/)).toBeVisible();
	await expect(page.getByRole("button", { name: "Publish" })).toBeDisabled();
	await expectAccessible(page);
	await page.unroute(/\/api\/trpc\//);
	await expect(page.getByText(/^saved at/)).toBeVisible();
	await expect(yaml).toContainText("# written while no one answered");
	await discard(page);
});

test("a draft survives a lost session", async ({ page, context }) => {
	const yaml = await edit(page);
	await context.clearCookies();
	await yaml.focus();
	await page.keyboard.press("ControlOrMeta+End");
	await page.keyboard.type("# written after the session was lost");
	await expect(page.getByText(/Saved in this browser only; the server rejected it/)).toBeVisible();
	await context.addCookies((await sessionOf("platform")).cookies);
	const again = await edit(page);
	// The editor draws only the lines in view.
	await again.focus();
	await page.keyboard.press("ControlOrMeta+End");
	await expect(again).toContainText("# written after the session was lost");
	await expect(page.getByText(/^saved at/)).toBeVisible();
	await discard(page);
});

/** Types in the YAML, and measures from the last key to the first figures of the backtest that follows. */
test("a backtest follows the last edit, an edit makes it grey, and completion covers no message", async ({ page }) => {
	const yaml = await edit(page);
	await page.getByRole("checkbox", { name: "Run after edits" }).check();
	const panel = page.locator("#backtest");
	await test.step("the first figures", async () => {
		await yaml.focus();
		await page.keyboard.press("ControlOrMeta+End");
		const began = Date.now();
		await page.keyboard.type("# tried while typing");
		await expect(panel.getByText(/^Ran .*on this draft/)).toBeVisible();
		console.log(`first figures of a backtest ${Date.now() - began} ms after the first key, with a pause of 400 ms`);
		await expect(panel.getByText("Cloud cost").first()).toBeVisible();
	});
	await test.step("an error starts none, and leaves the figures grey", async () => {
		const rule = await card(page, /^spot-for-experiments/);
		await rule.getByLabel("When").fill('job.class == "experimantal"');
		await expect(page.locator(".spw-problem")).toBeVisible();
		await expect(panel.getByText(/on another draft/)).toBeVisible();
	});
	await test.step("the list of completions", async () => {
		await page.locator(".cm-line", { hasText: "experimantal" }).click();
		await page.keyboard.press("End");
		// After `exp`, inside the quotes.
		for (let i = 0; i < 10; i++) await page.keyboard.press("ArrowLeft");
		await page.keyboard.press("Control+Space");
		const list = page.locator(".cm-tooltip-autocomplete");
		await expect(list).toBeVisible();
		await expect.poll(() => overlaps(list, page.locator(".spw-problem"))).toEqual([]);
	});
	await page.keyboard.press("Escape");
	await discard(page);
});

/** Messages that the list covers. */
async function overlaps(list: Locator, messages: Locator): Promise<string[]> {
	const box = await list.boundingBox();
	const covered: string[] = [];
	for (const message of await messages.all()) {
		const other = await message.boundingBox();
		if (!box || !other) continue;
		if (box.y < other.y + other.height && other.y < box.y + box.height) covered.push((await message.textContent()) ?? "");
	}
	return covered;
}

test("by keyboard: completion, moving a rule, undoing", async ({ page }) => {
	const yaml = await edit(page);
	const first = page.getByRole("list", { name: "Rules" }).getByRole("button", { expanded: false }).first();
	await expect(first).toContainText(FIRST_RULE);
	await first.focus();
	await page.keyboard.press("Alt+ArrowDown");
	await expect(page.getByRole("list", { name: "Rules" }).getByRole("button", { expanded: false }).nth(1)).toContainText(FIRST_RULE);
	await yaml.focus();
	await page.keyboard.press("ControlOrMeta+End");
	await page.keyboard.type("  sh");
	await page.keyboard.press("Control+Space");
	await expect(page.getByRole("listbox")).toContainText("shares");
	await expectAccessible(page);
	await page.keyboard.press("Escape");
	await discard(page);
});

async function askSecondPerson(page: Page, before: "off" | "on"): Promise<void> {
	await open(page, "/policies", "Policies");
	await page.getByRole("button", { name: `Second approver: ${before}` }).click();
	const dialog = page.getByRole("dialog", { name: "Publishing" });
	await dialog.getByRole("checkbox", { name: "Require a second approver" }).setChecked(before === "off");
	await expectAccessible(page);
	await dialog.getByRole("button", { name: "Save" }).click();
	if (before === "on") {
		await expect(page.getByText("Needs approval from another platform engineer")).toBeVisible();
		await expect(page.getByRole("button", { name: "Second approver: on" })).toBeVisible();
		await approveAsOtherPerson();
	}
	await expect(page.getByRole("button", { name: `Second approver: ${before === "off" ? "on" : "off"}` })).toBeVisible();
}

test("a second person: what is published waits, is read, and counts once somebody else agreed", async ({ page }) => {
	await askSecondPerson(page, "off");
	await test.step("an own proposal waits for another person, and can be withdrawn", async () => {
		await edit(page);
		await page.getByRole("checkbox", { name: "Run after edits" }).uncheck();
		const rule = await card(page, /^burst-on-wait/);
		await rule.getByLabel("Forecast wait above").fill("45s");
		await page.getByRole("button", { name: "Publish" }).click();
		const dialog = page.getByRole("dialog", { name: "Publish draft" });
		await expect(dialog.getByText("Takes effect after a second person approves.")).toBeVisible();
		await dialog.getByLabel("Reason").fill("Longer waits");
		await expect(dialog.getByRole("button", { name: "Propose" })).toBeDisabled();
		await dialog.getByLabel("Why publish without a finished backtest?").fill("Measured by hand");
		await expectAccessible(page);
		await dialog.getByRole("button", { name: "Propose" }).click();
		await expect(page.locator("#proposals")).toContainText("needs someone else");
		await page.getByRole("button", { name: "Review changes" }).click();
		const read = page.getByRole("dialog", { name: /^Proposed change to version/ });
		await expect(read.getByRole("list", { name: "Changes by rule" })).toContainText("45s");
		await expect(read.getByText("Needs approval from another platform engineer.")).toBeVisible();
		await expect(read.getByRole("button", { name: "Approve" })).toHaveCount(0);
		await expectAccessible(page);
		await read.getByRole("button", { name: "Withdraw" }).click();
		await expect(page.locator("#proposals")).toHaveCount(0);
		expect((await rest.policy()).source).toBe(original);
		await page.getByRole("button", { name: "Continue draft" }).click();
		await discard(page);
	});
	await test.step("another's is read, on a phone too, and approved", async () => {
		const shorter = original.replace("instanceHours: 8", "instanceHours: 7");
		await publishAsAnother(shorter, "Shorter lives", (await rest.policy()).version);
		expect((await rest.policy()).source).toBe(original);
		await page.setViewportSize({ width: 390, height: 844 });
		await open(page, "/approvals", "Approvals");
		await page.getByRole("button", { name: "Review changes" }).click();
		const read = page.getByRole("dialog", { name: /^Proposed change to version/ });
		await expect(read.getByRole("list", { name: "Changes by rule" })).toContainText("7h");
		await expect(read.getByText("No finished backtest of this draft.")).toBeVisible();
		await expectAccessible(page);
		await read.getByRole("button", { name: "Approve" }).click();
		await expect(read).toBeHidden();
		expect((await rest.policy()).source).toBe(shorter);
		await open(page, "/approvals?view=past", "Approvals");
		await expect(page.locator("#proposals")).toContainText("approved");
		await expectAccessible(page);
	});
	await page.setViewportSize({ width: 1280, height: 800 });
	await askSecondPerson(page, "on");
	await publish(original, "Put back");
});

test("a policy that is kept in git is read-only, says where from, and can be taken out of its hands", async ({ page }) => {
	await publishFromGit(original.replace("instanceHours: 8", "instanceHours: 6"), "From the repository", (await rest.policy()).version);
	await open(page, "/policies?mode=edit", "Policies");
	await expect(page.getByText("This policy is managed in git")).toBeVisible();
	await expect(page.getByText("git@example.test:infra/spillway.git").first()).toBeVisible();
	await expect(page.getByRole("button", { name: /^(Edit|Publish|Continue draft)$/ })).toHaveCount(0);
	await expectAccessible(page);
	await page.getByRole("button", { name: "Edit here instead" }).click();
	const dialog = page.getByRole("dialog", { name: "Stop managing this policy in git?" });
	await expectAccessible(page);
	await dialog.getByRole("button", { name: "Edit here" }).click();
	await expect(page.getByRole("textbox", { name: "Policy YAML" })).toContainText("apiVersion");
	await publish(original, "Put back");
});

test("a draft in the shadow decides beside live work, and shows where it differs", async ({ page }) => {
	await makeQuiet();
	await edit(page);
	const rule = await card(page, /^burst-on-wait/);
	await rule.getByLabel("Forecast wait above").fill("7d");
	await expect(page.getByText(/^saved at/)).toBeVisible();
	const shadow = page.locator("#shadow");
	await shadow.getByRole("button", { name: "Run in shadow" }).click();
	await expect(shadow).toContainText(/runs.*vs version/);
	// The loop checks for a shadow once a second: earlier placements are not compared.
	await expect(shadow).toContainText(/since (?![01] s)\d+ (s|min) ago/);
	await fillHome();
	const leaves = await rest.submit(aJob({ name: "shadowed" }));
	await jobWhen(leaves, "bursts", ({ placement }) => placement !== null && placement.capacityType !== "owned");
	await expect(shadow).toContainText(/of [\d,]+ decisions agree/);
	await expect(shadow.getByRole("list", { name: "Differences" })).toContainText("shadowed");
	await expectAccessible(page);
	await shadow.getByRole("button", { name: "Stop" }).click();
	await expect(shadow).toContainText("stopped");
	await discard(page);
	await makeQuiet();
});

test("what is not there, or cannot be read, says so in its place", async ({ page }) => {
	await open(page, "/policies?version=9999", "Policies");
	const older = page.getByRole("dialog", { name: "Version 9999" });
	await expect(older.getByRole("alert")).toContainText(/has no version 9999/);
	await expectAccessible(page);
	await open(page, "/policies?mode=edit&backtest=bt_none", "Policies");
	await expect(page.locator("#backtest")).toContainText("Could not load the backtest");
	await expectAccessible(page);
});

test.describe("a data scientist", () => {
	test.use({ person: "scientist" });
	test("reads the policy and its versions, and edits nothing", async ({ page }) => {
		await open(page, "/policies?mode=edit", "Policies");
		await expect(page.getByRole("heading", { name: "Versions" })).toBeVisible();
		await expect(page.getByText("Only platform engineers can edit.")).toBeVisible();
		await expect(page.getByRole("button", { name: /Edit|Publish/ })).toHaveCount(0);
		await expectAccessible(page);
	});
});
