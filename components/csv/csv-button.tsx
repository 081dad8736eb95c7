"use client";
import { saveCsv } from "#components/csv/csv.ts";
import { Button } from "#components/ui/button.tsx";
import { useHydrated } from "#components/ui/use-hydrated.ts";

type CsvButtonProps = {
	fileName: string;
	/** The file, made when it is asked for; null: what is shown is not read yet, or nothing is. */
	text: (() => string) | null;
	size?: "sm";
	/** Which table, where a screen has several. */
	label?: string;
};

/** Hands out a table as it is on the screen. */
export function CsvButton({ fileName, text, size, label }: CsvButtonProps) {
	const hydrated = useHydrated();
	return (
		<Button
			icon="download"
			{...(size ? { size } : {})}
			{...(label ? { "aria-label": label } : {})}
			disabled={!hydrated || text === null}
			onClick={() => text && saveCsv(fileName, text())}
		>
			{size ? (
				"CSV"
			) : (
				<>
					<span className="max-md:hidden">Export as shown</span>
					<span className="md:hidden">CSV</span>
				</>
			)}
		</Button>
	);
}
