import { Money } from "#components/money/money.tsx";
import { valueLabel } from "#components/spend/view.ts";
import { formatCount } from "#components/ui/format-number.ts";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { monthWords } from "#server/domain/statement-words.ts";
import { STATE_WORD, whyOf } from "./prepare-rows.ts";
import type { BillPreview } from "./use-bill-import.ts";

/** Maximum number of differences listed per month, largest first. */
const DIFFERENCES_SHOWN = 8;

/** Totals and recognized columns of a bill, and each month's differences from the ledger. */
export function PreviewTables({ preview: { bill, columns, months } }: { preview: BillPreview }) {
	return (
		<div className="grid gap-4">
			<dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
				<dt className="text-ink-2">Billed</dt>
				<dd className="font-strong">
					<Money value={bill.billedMicroUsd} /> in {formatCount(bill.rows)} lines
					{bill.repeatedRows > 0 && `, ${formatCount(bill.repeatedRows)} of them already imported`}
				</dd>
				<dt className="text-ink-2">Provider</dt>
				<dd>{bill.providers.join(", ")}</dd>
				<dt className="text-ink-2">Columns</dt>
				<dd title={columns.recognized.join(", ")}>
					{formatCount(columns.recognized.length)} recognized as FOCUS {bill.focusVersion}
					{columns.other.length > 0 && (
						<span className="text-ink-3" title={columns.other.join(", ")}>
							, {formatCount(columns.other.length)} more kept unread
						</span>
					)}
				</dd>
			</dl>
			{months.map((month) => (
				<Month key={month.month} month={month} />
			))}
		</div>
	);
}

function Month({ month: { month, providers, items, posted } }: { month: BillPreview["months"][number] }) {
	return (
		<section aria-label={monthWords(month)} className="grid gap-2">
			<h3 className="font-semibold">{monthWords(month)}</h3>
			{posted.map((p) => (
				<p key={`${p.provider}/${p.what}`}>
					{valueLabel("provider", p.provider)}, {p.what === "corrections" ? "corrections" : "credits and taxes"}:{" "}
					<Money value={p.effectiveMicroUsd} signed className="font-strong" />
				</p>
			))}
			{posted.length === 0 && <p className="text-ok-ink">Nothing to post: the ledger has the bill's amounts.</p>}
			{providers.length > 0 && <Providers month={month} providers={providers} />}
			<Differences month={month} items={items} />
		</section>
	);
}

function Providers({ month, providers }: Pick<BillPreview["months"][number], "month" | "providers">) {
	return (
		<div className="overflow-hidden rounded-md border">
			<Table aria-label={`${monthWords(month)} by provider`}>
				<thead>
					<tr>
						<Th>Provider</Th>
						<Th n>Ledger</Th>
						<Th n>Billed</Th>
						<Th n>To post</Th>
						<Th n>Unexplained</Th>
					</tr>
				</thead>
				<tbody>
					{providers.map((p) => (
						<Tr key={p.provider}>
							<Td phone="a" className="font-strong">
								{valueLabel("provider", p.provider)}
							</Td>
							<Td n>
								<Money value={p.estimatedMicroUsd} />
							</Td>
							<Td n phone="b">
								<Money value={p.billedMicroUsd} />
							</Td>
							<Td n phone="c" className="font-semibold">
								<Money value={p.adjustedMicroUsd} signed />
							</Td>
							<Td n phone="d" className={p.unexplainedMicroUsd === "0" ? "text-ink-3" : "font-semibold text-risk-ink"}>
								<Money value={p.unexplainedMicroUsd} signed />
							</Td>
						</Tr>
					))}
				</tbody>
			</Table>
		</div>
	);
}

/** Resources that differ, largest first, with the reason. */
function Differences({ month, items }: Pick<BillPreview["months"][number], "month" | "items">) {
	const differing = items.filter(({ state }) => state !== "matched");
	if (differing.length === 0) return null;
	return (
		<ul aria-label={`Differences in ${monthWords(month)}`} className="grid gap-1">
			{differing.slice(0, DIFFERENCES_SHOWN).map((item) => (
				<li key={`${item.provider}/${item.resourceId}`} className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3">
					<span className="min-w-0">
						<span className="block truncate font-mono text-xs">{item.resourceId}</span>
						<span className="block text-xs text-ink-2">
							{STATE_WORD[item.state]}: {whyOf(item)}
						</span>
					</span>
					<Money value={item.adjustedMicroUsd} signed className="font-strong" />
				</li>
			))}
			{differing.length > DIFFERENCES_SHOWN && <li className="text-ink-3">and {formatCount(differing.length - DIFFERENCES_SHOWN)} more</li>}
		</ul>
	);
}
