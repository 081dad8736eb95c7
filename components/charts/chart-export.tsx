"use client";
import type { RefObject } from "react";
import type { PngEvent } from "#components/charts/save-png.ts";
import { saveCsv } from "#components/csv/csv.ts";
import { describeError } from "#components/page/error-boundary.tsx";
import { Button } from "#components/ui/button.tsx";
import { notify } from "#components/ui/toast.tsx";

type ChartExportProps = {
	/** Contains the chart. */
	root: RefObject<HTMLElement | null>;
	/** Title in the image. */
	title: string;
	/** File name without extension. */
	name: string;
	/** The displayed values, as CSV. */
	csv: (() => string) | null;
	/** Drawn into the image. */
	events?: readonly PngEvent[];
};

/** Downloads the data of a chart. */
export function ChartExport({ root, title, name, csv, events = [] }: ChartExportProps) {
	const png = async (): Promise<void> => {
		try {
			const { savePng } = await import("./save-png.ts");
			if (root.current) await savePng(root.current, title, `${name}.png`, events);
		} catch (error) {
			notify({ tone: "failed", title: "Could not export the chart", detail: describeError(error).detail });
		}
	};
	return (
		<span className="inline-flex gap-1 print:hidden">
			<Button size="sm" variant="quiet" aria-label={`${title} as PNG`} onClick={() => void png()}>
				PNG
			</Button>
			{csv && (
				<Button size="sm" variant="quiet" aria-label={`${title} as CSV`} onClick={() => saveCsv(`${name}.csv`, csv())}>
					CSV
				</Button>
			)}
		</span>
	);
}
