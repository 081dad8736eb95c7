import { monthWords, teamTitle } from "#server/domain/statement-words.ts";
import { LABELS } from "#server/domain/vocabulary.ts";
import { statementBlocks } from "./document.ts";
import { dollars, gpuHours, kilograms, moment } from "./figures.ts";
import type { StatementView } from "./get.ts";
import {
	bytesOf,
	drawBlock,
	drawFigures,
	drawMargins,
	INKS,
	LEFT,
	need,
	newPaper,
	type Paper,
	printable,
	rule,
	widthOf,
} from "./pdf-paper.ts";

/** The statement as an A4 document to sign. The same statement with the same signatures yields the same bytes. */
export async function statementPdf(view: StatementView): Promise<Buffer> {
	const { content, shown } = view;
	const owner = teamTitle(content.team);
	const title = `Statement of compute cost, ${owner}, ${monthWords(content.month)}`;
	const doc = newPaper({ title, author: shown?.closedBy ?? "Spillway", at: new Date(content.postedUntilMs) });
	drawTitle(doc, view, owner);
	for (const block of statementBlocks(view)) drawBlock(doc, block);
	drawSignOff(doc, view);
	drawMargins(doc, {
		head: `Statement of compute cost. ${owner}, ${monthWords(content.month)}`,
		left: shown
			? `${numberOf(view)}, version ${shown.version}, closed ${moment(shown.closedAt)}`
			: `${numberOf(view)}, preview: not closed`,
		middle: shown ? `sha256 ${shown.sha256.slice(0, 16)}` : "",
	});
	return bytesOf(doc);
}

const numberOf = ({ content }: StatementView): string => `ST-${content.month}${content.team === "" ? "" : `-${content.team}`}`;

function drawTitle(doc: Paper, { content, shown }: StatementView, owner: string): void {
	const width = widthOf(doc);
	const top = doc.y;
	doc
		.font("Helvetica-Bold")
		.fontSize(10)
		.fillColor(INKS.text)
		.text("Spillway", LEFT, top + 4, { width, align: "right" });
	doc.fontSize(18).text("Statement of compute cost", LEFT, top, { width: width - 80 });
	doc
		.font("Helvetica")
		.fontSize(11)
		.text(printable(`${owner}, ${monthWords(content.month)}`), LEFT, doc.y + 2, { width });
	if (!shown)
		doc
			.font("Helvetica-Bold")
			.fontSize(9)
			.text(`Preview of ${moment(new Date(content.postedUntilMs))}: not closed, and it may still change.`, LEFT, doc.y + 4, { width });
	rule(doc, doc.y + 10, INKS.text, 1);
	doc.y += 10;
	const side = (key: "owned" | "cloud") => content.sides.find((s) => s.key === key)?.sums;
	const [owned, cloud] = [side("owned"), side("cloud")];
	const { carbon } = content;
	drawFigures(doc, [
		{ label: "Total for the month", value: `$${dollars(content.totals.effectiveMicroUsd)}`, note: "US dollars, effective cost" },
		{ label: "Owned hardware", value: dollars(owned?.effectiveMicroUsd ?? "0"), note: `${gpuHours(owned?.gpuMs ?? "0")} GPU-hours` },
		{ label: "Cloud", value: dollars(cloud?.effectiveMicroUsd ?? "0"), note: `${gpuHours(cloud?.gpuMs ?? "0")} GPU-hours` },
		{
			label: "CO2e, kg",
			value: kilograms((BigInt(carbon.operationalMilligrams) + BigInt(carbon.embodiedMilligrams)).toString()),
			note: "location-based, with embodied",
		},
	]);
}

/** The signed hash and its signatures. */
function drawSignOff(doc: Paper, view: StatementView): void {
	const { shown, content } = view;
	need(doc, 130);
	drawBlock(doc, { kind: "heading", text: "Sign-off" });
	const range = `${new Date(content.fromMs).toISOString()} to ${new Date(content.toMs).toISOString()}, months of ${content.zone}`;
	drawBlock(doc, {
		kind: "text",
		text: `${content.charges.toLocaleString("en-US")} charges of ${range}, posted up to ${moment(new Date(content.postedUntilMs))}. Amounts are effective cost in US dollars.`,
	});
	if (!shown) {
		drawBlock(doc, { kind: "text", text: "This is a preview. It has no hash and cannot be signed." });
		return;
	}
	doc
		.font("Courier")
		.fontSize(8)
		.fillColor(INKS.text)
		.text(`sha256 ${shown.sha256}`, LEFT, doc.y + 8, { width: widthOf(doc) });
	if (content.replaces) doc.fillColor(INKS.quiet).text(`replaces ${content.replaces}`, LEFT, doc.y + 2, { width: widthOf(doc) });
	const closed = `Closed by ${shown.closedBy}, ${moment(shown.closedAt)}.`;
	drawBlock(doc, { kind: "text", text: shown.signatures.length === 0 ? `${closed} Not signed yet.` : closed });
	if (shown.signatures.length === 0) return;
	drawBlock(doc, {
		kind: "table",
		columns: [
			{ label: "Signed by", width: 0.4 },
			{ label: "As", width: 0.3 },
			{ label: "When", width: 0.3, n: true },
		],
		rows: shown.signatures.map((s) => ({
			cells: [s.name, `${LABELS[s.role]}${s.closedItToo ? ", who also closed it" : ""}`, moment(s.signedAt)],
		})),
	});
}
