import { useState } from "react";
import { timeLeft } from "#components/time/time-left.ts";
import { type FilePart, sendFile } from "./send-file.ts";

/** Sends files one after another, and says how far the current one is. */
export function useUpload(send: (part: FilePart) => Promise<{ id: string }>) {
	const [progress, setProgress] = useState<string | null>(null);
	const upload = async (file: File): Promise<string> => {
		const startedMs = performance.now();
		setProgress("Uploading.");
		try {
			return await sendFile(file, send, (share) => setProgress(describeProgress(share, performance.now() - startedMs)));
		} finally {
			setProgress(null);
		}
	};
	return { upload, progress };
}

/** "Uploading: 42%, about 10s left." */
function describeProgress(share: number, tookMs: number): string {
	return `Uploading: ${[`${Math.floor(share * 100)}%`, timeLeft(share, tookMs)].filter(Boolean).join(", ")}.`;
}
