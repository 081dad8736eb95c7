import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { renderCookbook } from "./testing/cookbook.ts";

const PAGE = new URL("../../../docs/cookbook.md", import.meta.url);
const FOLDER = new URL("../../../examples/policies/", import.meta.url);
/** As in a live installation: grids are not forecast. */
const KNOWN = { siteIds: ["home", "aws", "azure", "gcp"], measures: ["idle", "gpu_utilisation"] as const };

function read(file: string) {
	const text = readFileSync(new URL(file, FOLDER), "utf8");
	const { policy, problems } = parsePolicy(text, KNOWN);
	if (!policy) throw new Error(`${file}: ${problems.map(({ message }) => message).join(" ")}`);
	return { text, policy, problems };
}

const { text, recipes } = renderCookbook(readFileSync(PAGE, "utf8"), { read });

describe("docs/cookbook.md", () => {
	it("has ten recipes, and every policy of examples/policies", () => {
		expect(recipes).toHaveLength(10);
		expect(["base.yaml", "cookbook-base.yaml", ...recipes.map(({ file }) => file)].sort()).toEqual(readdirSync(FOLDER).sort());
	});

	// After an intended change: npm test -- unit server/simulation/backtest/cookbook.test.ts -u, then review the page's diff.
	it("says of each policy what its file says, and what a backtest of the table's jobs comes to", async () => {
		await expect(text).toMatchFileSnapshot(PAGE.pathname);
	});

	it.each(recipes)("$title: sends some of its jobs elsewhere, or at another time, than the base policy", ({ base, own }) => {
		const whenAndWhere = [base, own].map(({ courses }) => [...courses].map(([id, c]) => [id, c.firstStartMs, c.place]));
		expect(whenAndWhere[1]).not.toEqual(whenAndWhere[0]);
	});

	it.each(["base.yaml", "cookbook-base.yaml", ...recipes.map(({ file }) => file)])(
		"%s is published without a warning, but for what waits for a forecast",
		(file) => {
			const waits = file === "green-nights.yaml" ? 1 : 0;
			const { problems } = read(file);
			expect(problems.filter(({ message }) => / has no effect: there is no forecast /.test(message))).toHaveLength(waits);
			expect(problems.filter(({ message }) => !/ has no effect: there is no forecast /.test(message))).toEqual([]);
		},
	);
});
