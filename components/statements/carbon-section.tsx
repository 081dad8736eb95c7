import { Carbon } from "#components/emissions/carbon.tsx";
import { formatEnergyParts, joinQuantity } from "#components/emissions/format-carbon.ts";
import { Drill } from "#components/spend/cells.tsx";
import { statementDrill } from "#components/statements/drill.ts";
import { None, PaperTable, PTd, PTr, Remark, Section } from "#components/statements/paper.tsx";
import { gpuHours } from "#components/statements/prepare-statement.ts";
import { formatPercent } from "#components/ui/format-number.ts";
import type { StatementContent } from "#server/domain/statement.ts";
import { CARBON_METHOD } from "#server/domain/statement-words.ts";

/** Emissions by both methods with the measured share. */
export function CarbonSection({ content }: { content: StatementContent }) {
	const { carbon: c } = content;
	const href = statementDrill(content, {}, { of: "carbon" });
	const energy = BigInt(c.energyMilliWh);
	const share = (part: string) => (energy === 0n ? "" : `, ${formatPercent(Number(BigInt(part)) / Number(energy))}`);
	const wh = (milliWh: string) => joinQuantity(formatEnergyParts(Number(BigInt(milliWh)) / 1_000));
	const emissions = [
		{ label: "Operational, location-based", milligrams: c.operationalMilligrams, unknown: c.unknownGpuMs },
		{ label: "Operational, market-based", milligrams: c.marketMilligrams, unknown: c.marketUnknownGpuMs },
		{ label: "Embodied", milligrams: c.embodiedMilligrams, unknown: c.embodiedUnknownGpuMs },
	];
	return (
		<Section title="Carbon">
			<PaperTable aria-label="Carbon">
				<tbody>
					{emissions.map(({ label, milligrams, unknown }) => (
						<PTr key={label}>
							<PTd>
								{label}
								{unknown !== "0" && <None>, unknown for {gpuHours(unknown)} GPU-hours</None>}
							</PTd>
							<PTd n>
								{milligrams === "0" ? (
									<None>unknown</None>
								) : (
									<Drill href={href} what={label}>
										<Carbon grams={BigInt(milligrams) / 1_000n} estimate />
									</Drill>
								)}
							</PTd>
						</PTr>
					))}
					<PTr>
						<PTd>
							Energy
							<None>
								: measured {wh(c.measuredEnergyMilliWh)}
								{share(c.measuredEnergyMilliWh)}; hourly grid intensity {wh(c.hourlyGridMilliWh)}
								{share(c.hourlyGridMilliWh)}
							</None>
						</PTd>
						<PTd n>{wh(c.energyMilliWh)}</PTd>
					</PTr>
				</tbody>
			</PaperTable>
			<Remark>{CARBON_METHOD}</Remark>
		</Section>
	);
}
