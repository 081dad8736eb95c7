import { Money } from "#components/money/money.tsx";
import { Drill } from "#components/spend/cells.tsx";
import { wasteDrill } from "#components/statements/drill.ts";
import { None, PaperTable, PTd, PTh, PTr, Remark, Section } from "#components/statements/paper.tsx";
import { gpuHours } from "#components/statements/prepare-statement.ts";
import type { StatementContent } from "#server/domain/statement.ts";
import { SAVING_WORDS, WASTE_METHOD, WASTE_WORDS } from "#server/domain/statement-words.ts";

/** Estimated savings with their method. */
export function SavingsSection({ content: { savings } }: { content: StatementContent }) {
	return (
		<Section title="Savings, estimated">
			<dl className="mt-1.5">
				{savings.map((saving) => (
					<div
						key={saving.key}
						className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-6 hairline-b py-2 text-xs last:border-b-0 break-inside-avoid"
					>
						<dt className="font-strong">{saving.key in SAVING_WORDS ? SAVING_WORDS[saving.key] : saving.key}</dt>
						<dd className="num font-strong">
							{saving.microUsd !== null ? (
								<Money value={saving.microUsd} kind="estimate" />
							) : saving.hours !== null ? (
								`≈ ${saving.hours} h`
							) : (
								<None>not available</None>
							)}
						</dd>
						<dd className="col-span-full max-w-[62ch] text-pretty text-ink-2">{saving.reckoned}</dd>
					</div>
				))}
			</dl>
		</Section>
	);
}

/** Failed work and idle hardware. */
export function WasteSection({ content }: { content: StatementContent }) {
	const { waste } = content;
	return (
		<Section title="Wasted spend">
			<PaperTable aria-label="Wasted spend">
				<thead>
					<tr>
						<PTh>
							<span className="sr-only">Type</span>
						</PTh>
						<PTh n>GPU-hours</PTh>
						<PTh n>Cost</PTh>
					</tr>
				</thead>
				<tbody>
					{waste.map((w) => (
						<PTr key={w.key}>
							<PTd>{WASTE_WORDS[w.key]}</PTd>
							<PTd n>{gpuHours(w.gpuMs) ?? <None />}</PTd>
							<PTd n>
								{w.microUsd === "0" ? (
									<None />
								) : (
									<Drill href={wasteDrill(content, w.key)} what={WASTE_WORDS[w.key]}>
										<Money value={w.microUsd} />
									</Drill>
								)}
							</PTd>
						</PTr>
					))}
				</tbody>
			</PaperTable>
			<Remark>{WASTE_METHOD}</Remark>
		</Section>
	);
}
