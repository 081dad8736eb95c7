import type { Offer } from "#server/domain/capacity.ts";
import type { Policy } from "#server/domain/policy.ts";
import { defined } from "#server/kernel/assert.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import type { RecordedHistory } from "../history.ts";
import { type BacktestHalf, type JobOutcome, replayHalf } from "../replay-half.ts";
import { historyOf, offersOf } from "./cookbook-history.ts";

/** One recipe of docs/cookbook.md with both replays of its history. */
interface Recipe {
	title: string;
	/** Path below examples/policies/. */
	file: string;
	history: RecordedHistory;
	base: BacktestHalf;
	own: BacktestHalf;
}

interface Sources {
	/** Text and policy of a file below examples/policies/. */
	read(file: string): { text: string; policy: Policy };
}

const FILE = /`examples\/policies\/([\w-]+\.yaml)`/;

/** The expected page: every policy as in its file, and every table with the results of its backtest. */
export function renderCookbook(page: string, sources: Sources): { text: string; recipes: Recipe[] } {
	const [intro = "", ...sections] = page.split(/^(?=## \d+\. )/m);
	const offers = offersOf(intro);
	const base = sources.read("cookbook-base.yaml");
	const recipes: Recipe[] = [];
	const rendered = sections.map((section) => {
		const file = defined(FILE.exec(section)?.[1], "the file of a recipe's policy");
		const { text, policy } = sources.read(file);
		const recipe = replayRecipe(section, { file, offers, base: base.policy, policy });
		recipes.push(recipe);
		return withTable(withPolicy(section, text), recipe);
	});
	return { text: [withPolicy(intro, base.text), ...rendered].join(""), recipes };
}

function replayRecipe(section: string, given: { file: string; offers: Offer[]; base: Policy; policy: Policy }): Recipe {
	const history = historyOf(section, given.offers);
	const title = defined(/^## (.+)$/m.exec(section)?.[1], "the title of a recipe");
	return { title, file: given.file, history, base: replayHalf(history, given.base), own: replayHalf(history, given.policy) };
}

/** The first fenced YAML block is the policy. */
function withPolicy(section: string, text: string): string {
	return section.replace(/^```yaml\n[\s\S]*?^```/m, () => `\`\`\`yaml\n${text}\`\`\``);
}

function withTable(section: string, recipe: Recipe): string {
	const lines = section.split("\n").map((line) => {
		const cells = line.split("|").map((cell) => cell.trim());
		const [, first = ""] = cells;
		const results = line.startsWith("| `")
			? courseCells(recipe, first.replaceAll("`", ""))
			: line.startsWith("| **")
				? sumCells(recipe, first)
				: null;
		return results
			? `|${cells
					.slice(1, 6)
					.map((cell) => (cell ? ` ${cell} ` : " "))
					.join("|")}| ${results.join(" | ")} |`
			: line;
	});
	return lines.join("\n");
}

function courseCells({ base, own }: Recipe, id: string): string[] {
	return [base, own].map(({ courses }) => courseText(defined(courses.get(id), `the course of ${id}`)));
}

/** `01:06 azure eastus on-demand, $5.50`: the first start, the last placement, and the cost of all its attempts. */
function courseText({ place, firstStartMs, costMicroUsd }: JobOutcome): string {
	if (place === null || firstStartMs === null) return "not started";
	const words = place.split(" ");
	const where = words.length === 4 ? `${words[0]} ${words[1]} ${words[3]}` : place;
	return [`${clock(firstStartMs)} ${where}`, ...(costMicroUsd > 0n ? [usd(costMicroUsd)] : [])].join(", ");
}

function sumCells({ base, own }: Recipe, row: string): string[] {
	return [base, own].map(({ sums }) => {
		switch (row) {
			case "**cloud cost**":
				return usd(BigInt(sums.cloudCostMicroUsd));
			case "**mean wait**":
				return `${Math.round((sums.meanWaitMs / MINUTE_MS) * 10) / 10} min`;
			case "**missed deadlines**":
				return `${sums.missedDeadlines} of ${sums.deadlines}`;
			case "**CO2e**":
				return `${sums.emissionsGrams} g`;
			default:
				throw new Error(`The cookbook's table has a row "${row}" that no backtest reports.`);
		}
	});
}

/** Shows seconds only when they are not zero. */
function clock(atMs: number): string {
	const text = new Date(atMs).toISOString().slice(11, 19);
	return text.endsWith(":00") ? text.slice(0, 5) : text;
}

/** To the cent. */
function usd(microUsd: bigint): string {
	return `$${(Number(microUsd) / 1e6).toFixed(2)}`;
}
