// The yardstick of the lane route: one pass of GeographicLib over a route, again and again. Prints one JSON object.
// Usage: geographiclib FILE REPEAT, where FILE holds pairs of doubles: latitude and longitude of each point.
#include <GeographicLib/Constants.hpp>
#include <GeographicLib/Geodesic.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

static double pass(const GeographicLib::Geodesic& geodesic, const std::vector<double>& places) {
    double sum = 0, length;
    for (size_t i = 2; i + 1 < places.size(); i += 2) {
        geodesic.Inverse(places[i - 2], places[i - 1], places[i], places[i + 1], length);
        sum += length;
    }
    return sum;
}

int main(int count, char** arguments) {
    if (count != 3) return 2;
    FILE* file = std::fopen(arguments[1], "rb");
    if (!file) return 1;
    std::vector<double> places;
    double number;
    while (std::fread(&number, sizeof number, 1, file) == 1) places.push_back(number);
    std::fclose(file);
    const int repeat = std::atoi(arguments[2]);
    const auto& geodesic = GeographicLib::Geodesic::WGS84();
    double distance = pass(geodesic, places);
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < repeat; ++i) distance = pass(geodesic, places);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    std::printf(
        "{\"points\": %zu, \"distance_m\": %.9f, \"seconds\": %.9f, \"version\": \"%s\"}\n", places.size() / 2 * repeat,
        distance, seconds, GEOGRAPHICLIB_VERSION_STRING);
}
