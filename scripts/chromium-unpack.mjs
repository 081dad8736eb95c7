// Unpacks the Chromium from npm into the temp folder. Runs as a separate process, because TMPDIR determines that folder.
import chromium from "@sparticuz/chromium";

await chromium.executablePath();
