import static org.junit.Assert.assertEquals;

import org.junit.Test;

/** Holds an order to what it may cost. The server is the one that DATABASE_URL names. */
public class OrderTest {
    @Test
    public void placeOrder() throws Exception {
        String budget = "rows=1,own_wal_records=3,waiting_commits=1";
        Process measured = new ProcessBuilder("realiops", "measure", "--quiet", "-r", "3", "--max", budget,
                "--", "java", "-cp", System.getProperty("java.class.path"), "Order").redirectErrorStream(true).start();
        String report = new String(measured.getInputStream().readAllBytes());
        assertEquals(report, 0, measured.waitFor());
    }
}
