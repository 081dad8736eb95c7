// Unpacks the Chromium from npm into the temp folder, in its own process, because TMPDIR sets that folder.
import chromium from "@sparticuz/chromium";

await chromium.executablePath();
