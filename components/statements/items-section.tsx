import { Fragment } from "react";
import { Money } from "#components/money/money.tsx";
import { Drill } from "#components/spend/cells.tsx";
import { statementDrill } from "#components/statements/drill.ts";
import { None, PaperTable, PTd, PTh, PTr, Remark, Section } from "#components/statements/paper.tsx";
import { gpuHours, type ItemGroup, itemGroups } from "#components/statements/prepare-statement.ts";
import type { StatementContent } from "#server/domain/statement.ts";

/** Usage and purchases: by project for a team, in one list for the company. */
export function ItemsSection({ content }: { content: StatementContent }) {
	const groups = itemGroups(content);
	if (groups.length === 0) return null;
	const title = content.team === "" ? "Usage" : "Charges by project";
	return (
		<Section title={title}>
			<PaperTable aria-label={title}>
				<thead>
					<tr>
						<PTh>Charge</PTh>
						<PTh className="max-md:hidden print:table-cell">Period</PTh>
						<PTh n className="max-md:hidden print:table-cell">
							GPU-hours
						</PTh>
						<PTh n className="max-md:hidden print:table-cell">
							Unit price
						</PTh>
						<PTh n>Cost</PTh>
					</tr>
				</thead>
				<tbody>
					{groups.map((group) => (
						<Group key={group.key} group={group} />
					))}
					<PTr strong className="[&>*]:border-t [&>*]:border-t-line-strong">
						<PTd>Total for the month</PTd>
						<PTd className="max-md:hidden print:table-cell" colSpan={3} />
						<PTd n>
							<Drill href={statementDrill(content)} what="Total for the month">
								<Money value={content.totals.effectiveMicroUsd} fact={`month/${content.month}/${content.team}/total`} />
							</Drill>
						</PTd>
					</PTr>
				</tbody>
			</PaperTable>
			<Remark>GPU-hour prices are derived from exact amounts; amounts are shown to the cent.</Remark>
		</Section>
	);
}

function Group({ group }: { group: ItemGroup }) {
	return (
		<Fragment>
			{group.label !== null && (
				<PTr strong>
					<th scope="rowgroup" colSpan={5} className="pt-3 pb-1 text-left font-semibold">
						{group.label}
					</th>
				</PTr>
			)}
			{group.items.map((item) => (
				<PTr key={item.id}>
					<PTd>{item.label}</PTd>
					<PTd className="max-md:hidden print:table-cell">{item.from}</PTd>
					<PTd n className="max-md:hidden print:table-cell">
						{gpuHours(item.gpuMs) ?? <None />}
					</PTd>
					<PTd n className="max-md:hidden print:table-cell">
						{item.perGpuHour !== null && <Money value={item.perGpuHour} kind="price" />}
					</PTd>
					<PTd n>
						<Drill href={item.href} what={item.label}>
							<Money value={item.microUsd} />
						</Drill>
					</PTd>
				</PTr>
			))}
			{group.label !== null && (
				<PTr strong>
					<PTd>Total {group.label}</PTd>
					<PTd className="max-md:hidden print:table-cell" colSpan={3} />
					<PTd n>
						<Drill href={group.href} what={group.label}>
							<Money value={group.microUsd} />
						</Drill>
					</PTd>
				</PTr>
			)}
		</Fragment>
	);
}
