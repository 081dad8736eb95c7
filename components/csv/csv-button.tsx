"use client";
import { saveCsv } from "#components/csv/csv.ts";
import { Button } from "#components/ui/button.tsx";
import { useHydrated } from "#components/ui/use-hydrated.ts";

type CsvButtonProps = {
	fileName: string;
	/** Builds the file on click; null while there is no data. */
	text: (() => string) | null;
	size?: "sm";
	/** Table name, if a screen has several. */
	label?: string;
};

/** Exports a table as shown. */
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
					<span className="max-md:hidden">Export CSV</span>
					<span className="md:hidden">CSV</span>
				</>
			)}
		</Button>
	);
}
