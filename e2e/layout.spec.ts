import { expect } from "@playwright/test";
import { expectLayoutAtEachWidth } from "./support/layout.ts";
import { open, test } from "./support/people.ts";

/** The screens that screens.spec.ts does not open. */
const SCREENS: [path: string, title: string | RegExp][] = [
	["/approvals?view=past", "Approvals"],
	["/audit", "Audit"],
	["/sweeps", "Sweeps"],
	["/pipelines/templates", "Templates"],
	["/spend/charges?range=last_month", "Charges"],
	["/policies?mode=edit", "Policies"],
	["/settings/sites", "Sites"],
	["/settings/sites/new", "Add site"],
	["/settings/agreements", "Discounts and commitments"],
	["/settings/currency", /Currency/],
	["/settings/people", "People"],
	["/settings/teams", "Teams"],
	["/settings/secrets", "Secrets"],
	["/settings/stores", "Stores"],
	["/settings/tokens", "Tokens"],
];

for (const [path, title] of SCREENS) {
	test(`${path} uses the width and covers no text, on a monitor, a laptop and a phone`, async ({ page }) => {
		await open(page, path, title);
		await expect(page.locator("main [aria-busy=true]")).toHaveCount(0);
		await expectLayoutAtEachWidth(page);
	});
}
