import { Carbon } from "#components/emissions/carbon.tsx";
import { Money } from "#components/money/money.tsx";
import { Drill } from "#components/spend/cells.tsx";
import { statementDrill } from "#components/statements/drill.ts";
import { None, PaperTable, PTd, PTh, PTr, Section } from "#components/statements/paper.tsx";
import { gpuHours } from "#components/statements/prepare-statement.ts";
import { formatPercent } from "#components/ui/format-number.ts";
import { Link } from "#components/ui/link.tsx";
import type { StatementContent } from "#server/domain/statement.ts";

/** Spend by team or project. Rows add up to the total. */
export function SharesSection({
	title,
	by,
	label,
	none,
	content,
}: {
	title: string;
	by: "team" | "project";
	label: string;
	none: string;
	content: StatementContent;
}) {
	const shares = by === "team" ? content.byTeam : content.byProject;
	if (shares.length === 0) return null;
	const all = shares.reduce((sum, s) => sum + BigInt(s.sums.effectiveMicroUsd), 0n);
	return (
		<Section title={title}>
			<PaperTable aria-label={title}>
				<thead>
					<tr>
						<PTh>{label}</PTh>
						<PTh n className="max-md:hidden print:table-cell">
							GPU-hours
						</PTh>
						<PTh n className="max-md:hidden print:table-cell">
							Operational CO2e
						</PTh>
						<PTh n>Share</PTh>
						<PTh n>Cost</PTh>
					</tr>
				</thead>
				<tbody>
					{shares.map(({ key, sums }) => (
						<PTr key={key}>
							<PTd>{key || <None>{none}</None>}</PTd>
							<PTd n className="max-md:hidden print:table-cell">
								{gpuHours(sums.gpuMs) ?? <None />}
							</PTd>
							<PTd n className="max-md:hidden print:table-cell">
								<Drill href={statementDrill(content, { [by]: [key] }, { of: "carbon" })} what={`${key || none}, operational CO2e`}>
									<Carbon grams={BigInt(sums.emissionsMilligrams) / 1_000n} estimate />
								</Drill>
							</PTd>
							<PTd n className="text-ink-3">
								{all === 0n ? "" : formatPercent(Number(BigInt(sums.effectiveMicroUsd)) / Number(all))}
							</PTd>
							<PTd n>
								<Drill href={statementDrill(content, { [by]: [key] })} what={key || none}>
									<Money value={sums.effectiveMicroUsd} />
								</Drill>
							</PTd>
						</PTr>
					))}
				</tbody>
			</PaperTable>
		</Section>
	);
}

/** Top jobs by cost, linked to their receipts. */
export function JobsSection({ content }: { content: StatementContent }) {
	const { topJobs } = content;
	if (topJobs.length === 0) return null;
	return (
		<Section title={topJobs.length === 1 ? "Top job by cost" : `Top ${topJobs.length} jobs by cost`}>
			<PaperTable aria-label="Top jobs by cost">
				<thead>
					<tr>
						<PTh>Job</PTh>
						<PTh>Team</PTh>
						<PTh className="max-md:hidden print:table-cell">State</PTh>
						<PTh n className="max-md:hidden print:table-cell">
							GPU-hours
						</PTh>
						<PTh n>Cost</PTh>
					</tr>
				</thead>
				<tbody>
					{topJobs.map(({ jobId, name, team, state, sums }) => (
						<PTr key={jobId}>
							<PTd>
								<Link
									href={`/jobs/${jobId}`}
									className="underline decoration-line-strong underline-offset-2 hover:decoration-current print:no-underline"
								>
									{name}
								</Link>
							</PTd>
							<PTd>{team}</PTd>
							<PTd className="max-md:hidden print:table-cell">{state}</PTd>
							<PTd n className="max-md:hidden print:table-cell">
								{gpuHours(sums.gpuMs) ?? <None />}
							</PTd>
							<PTd n>
								<Drill href={statementDrill(content, {}, { job: jobId })} what={name}>
									<Money value={sums.effectiveMicroUsd} />
								</Drill>
							</PTd>
						</PTr>
					))}
				</tbody>
			</PaperTable>
		</Section>
	);
}
